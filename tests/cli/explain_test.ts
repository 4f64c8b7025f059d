/** `explain` answers why: each folder of `golden/explain` is a question with the account that is expected. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { run } from "../../lib/cli/mod.ts";
import { golden, heard } from "./golden.ts";

const folder = join(import.meta.dirname!, "golden", "explain");

/** Options that a case has when the folder holds their file. */
const optional = {
  "resources.yaml": "--resource",
  "reviews.yaml": "--review",
  "payload.json": "--json",
  "exceptions.yaml": "--exceptions",
  "userinfo.yaml": "--userinfo",
  "values.yaml": "--values-file",
  "cluster.yaml": "--cluster-objects",
  "recorded-images.json": "--recorded-images",
} as const;

for (const { name } of [...Deno.readDirSync(folder)].sort((left, right) => left.name < right.name ? -1 : 1)) {
  Deno.test(`explain prints the golden text of: ${name.replaceAll("_", " ")}`, async () => {
    const at = (file: string): string => join(folder, name, file);
    const files = new Set([...Deno.readDirSync(join(folder, name))].map((entry) => entry.name));
    const given = Object.entries(optional).filter(([file]) => files.has(file));
    const { terminal, out } = heard();
    const code = await run([
      ...["explain", at("policies.yaml")],
      ...given.flatMap(([file, option]) => [option, at(file)]),
    ], terminal);
    assert.equal(code, 0);
    golden(at("explain.golden"), neutral(out(), join(folder, name)));
  });
}

/** Without what differs from run to run: folders and times. */
function neutral(text: string, folder: string): string {
  return text.replaceAll(`${folder}/`, "").replaceAll(/\b\d+ ms\b/g, "N ms");
}

const failing = join(folder, "failing_pattern_in_a_container");
const explainFailing = [
  "explain",
  join(failing, "policies.yaml"),
  "--resource",
  join(failing, "resources.yaml"),
];

Deno.test("explain --output-format json has the content of the text", async () => {
  const { terminal, out } = heard();
  assert.equal(await run([...explainFailing, "--output-format", "json"], terminal), 0);
  const [{ allowed, rules }] = JSON.parse(out());
  assert.equal(allowed, false);
  const failed = rules.find((rule: { outcome: string }) => rule.outcome === "fail");
  const { pattern } = failed.steps.find((step: { kind: string }) => step.kind === "pattern");
  assert.equal(pattern.element, "sidecar");
  assert.equal(pattern.actual, "envoy:latest");
  assert.deepEqual(pattern.steps, ["spec", "containers", 1, "image"]);
});

Deno.test("explain --policy and --rule select, and refuse names that do not exist", async () => {
  const { terminal, out, err } = heard();
  const some = [...explainFailing, "--policy", "disallow-latest-tag", "--rule", "require-image-tag"];
  assert.equal(await run(some, terminal), 0);
  assert.match(out(), /require-image-tag: pass/);
  assert.doesNotMatch(out(), /validate-image-tag: fail/);
  assert.equal(await run([...explainFailing, "--policy", "disallow-latest-tags"], terminal), 2);
  assert.match(err(), /there is no policy "disallow-latest-tags"; did you mean "disallow-latest-tag"\?/);
});

Deno.test("explain --output html writes one self-contained page, in which no input becomes code", async () => {
  const folder = await Deno.makeTempDir({ prefix: "postern-test-" });
  try {
    const pod = join(folder, "pod.yaml");
    const name = "<script>alert(1)</script>";
    await Deno.writeTextFile(
      pod,
      JSON.stringify({
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name },
        spec: { containers: [{ name: "<b>", image: "a:latest" }] },
      }),
    );
    const { terminal, out } = heard();
    assert.equal(await run([...explainFailing, "-r", pod, "--output", "html"], terminal), 0);
    assert.match(out(), /^<!DOCTYPE html>\n/);
    assert.match(out(), /<details class="fail" open><summary>disallow-latest-tag\/validate-image-tag: fail/);
    assert.match(out(), /&lt;script&gt;alert\(1\)&lt;\/script&gt;/);
    assert.doesNotMatch(out(), /<script|<b>|(?:src|href)=|url\(|@import/);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
