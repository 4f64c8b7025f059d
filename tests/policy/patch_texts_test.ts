/** JSON patches of bundles are JSON wherever that says the same as the YAML that was written. */
import assert from "node:assert/strict";
import { withJsonPatches } from "../../lib/policy/mod.ts";
import { asList, dig, type Json } from "../../lib/json/mod.ts";

const rows: readonly (readonly [what: string, written: string, json: string | undefined])[] = [
  ["plain YAML", "- {op: add, path: /a, value: 'on'}\n", '[{"op":"add","path":"/a","value":"on"}]'],
  [
    "booleans and numbers of YAML 1.1",
    "- {op: add, path: /a, value: [on, 010]}",
    '[{"op":"add","path":"/a","value":[true,8]}]',
  ],
  [
    "an index in a path",
    "- op: remove\n  path: /spec/containers/{{ elementIndex }}/image",
    '[{"op":"remove","path":"/spec/containers/{{ elementIndex }}/image"}]',
  ],
  [
    "an index that is the value",
    "- {op: add, path: '/a', value: {{elementIndex0}}}",
    '[{"op":"add","path":"/a","value":{{elementIndex0}}}]',
  ],
  ["JSON", '[{"op":"remove","path":"/a"}]', undefined],
  ["a list in brackets that is no JSON", "[{op: remove, path: /a}]", undefined],
  [
    "a variable whose value may be YAML",
    "- {op: add, path: /a, value: '{{ request.object.metadata.name }}'}",
    undefined,
  ],
  ["a reference", "- {op: add, path: /a, value: $(./../b)}", undefined],
  ["an index that makes an octal number", "- {op: add, path: /a, value: 0{{ elementIndex }}}", undefined],
  ["a number that JSON cannot write", "- {op: add, path: /a, value: .inf}", undefined],
  ["a text that is no list", "op: remove", undefined],
  ["a text that is no YAML", "- {op: [", undefined],
  ["an empty text", "", undefined],
];

for (const [what, text, json] of rows) {
  Deno.test(`the text of a JSON patch in a bundle: ${what}`, () => {
    const policy = (patch: string): Json => ({
      spec: {
        rules: [
          { mutate: { patchesJson6902: patch } },
          { mutate: { foreach: [{ patchesJson6902: patch, foreach: [{ patchesJson6902: patch }] }] } },
          { generate: { data: { patchesJson6902: patch } } },
        ],
      },
    });
    const rulesOf = (document: Json): readonly Json[] => asList(dig(document, "spec", "rules"));
    const made = rulesOf(withJsonPatches(policy(text))), wanted = rulesOf(policy(json ?? text));
    assert.deepEqual(made.slice(0, 2), wanted.slice(0, 2));
    assert.deepEqual(made[2], rulesOf(policy(text))[2], "other fields stay");
  });
}

Deno.test("a document that is no policy with rules stays unchanged in a bundle", () => {
  for (
    const value of [null, 1, [], { spec: 1 }, { spec: { rules: {} } }, {
      spec: { rules: [null, 1, { mutate: [] }] },
    }]
  ) {
    assert.deepEqual(withJsonPatches(value), value);
  }
});
