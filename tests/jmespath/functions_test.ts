/** Every function does what its documentation says, and the documented functions are all there. */
import assert from "node:assert/strict";
import { kyvernoFunctionNotes, kyvernoFunctions } from "../../lib/jmespath/mod.ts";
import { evaluate } from "./evaluate.ts";

const functions = kyvernoFunctions();

const notes = kyvernoFunctionNotes();

for (const [name, { examples }] of Object.entries(notes)) {
  for (const { expression, input, result } of examples) {
    Deno.test(`${name}: ${expression} is ${JSON.stringify(result)}`, () => {
      assert.deepEqual(evaluate(expression, input ?? {}), result);
    });
  }
}

Deno.test("every function has a description and an example that calls it", () => {
  assert.deepEqual(Object.keys(notes).sort(), [...functions.keys()].sort());
  const wanting = Object.entries(notes).filter(([name, { summary, examples }]) =>
    !/^.{10,}\.$/.test(summary) || !examples.some(({ expression }) => expression.includes(`${name}(`))
  );
  assert.deepEqual(wanting.map(([name]) => name), []);
});

Deno.test("the functions are those of Kyverno's documentation", () => {
  const standard =
    `abs avg ceil contains ends_with floor join keys length map max max_by merge min min_by not_null
    reverse sort sort_by starts_with to_array to_number to_string type values`;
  const custom =
    `compare equal_fold replace replace_all to_upper to_lower trim trim_prefix split regex_replace_all
    regex_replace_all_literal regex_match pattern_match label_match to_boolean add sum subtract multiply divide modulo
    round base64_decode base64_encode time_since time_now time_now_utc path_canonicalize truncate semver_compare
    parse_json parse_yaml lookup items object_from_lists random x509_decode time_to_cron time_add time_parse time_utc
    time_diff time_before time_after time_between time_truncate image_normalize is_external_url sha256 sha1 md5`;
  assert.deepEqual([...functions.keys()].sort(), `${standard} ${custom}`.split(/\s+/).sort());
});

Deno.test("a configured default registry applies to image_normalize()", () => {
  const configured = kyvernoFunctions({ images: { defaultRegistry: "registry.example.com" } });
  assert.equal(
    evaluate("image_normalize('nginx')", null, { functions: configured }),
    "registry.example.com/nginx:latest",
  );
});
