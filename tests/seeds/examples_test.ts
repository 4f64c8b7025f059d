/** The examples of the seed documents as folders, which the playground shows: each gives what its test expects. */
import assert from "node:assert/strict";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { compile, scanPayload } from "../../lib/engine/mod.ts";
import { isFault, type Json } from "../../lib/json/mod.ts";
import { findTests, runTest, testRows } from "../../lib/testing/mod.ts";
import { parseDocuments, parseYaml } from "../../lib/yaml/mod.ts";

const folder = fileURLToPath(new URL("examples", import.meta.url));

const { tests, diagnostics } = await findTests([folder], "kyverno-test.yaml");
Deno.test("all examples can be read", () => {
  assert.deepEqual(diagnostics, []);
  assert(tests.length > 10);
});

for (const found of tests) {
  Deno.test(`the test of the example ${relative(folder, found.folder)} passes`, async () => {
    const run = await runTest(found, { dialect: "classic" });
    assert.deepEqual(run.diagnostics.filter(({ severity }) => severity === "error"), []);
    const { rows } = await testRows(run, found.test.results);
    assert(rows.length > 0);
    assert.deepEqual(rows.filter(({ result }) => result !== "Pass"), []);
  });
}

interface ScanTest {
  readonly results: readonly { readonly rule: string; readonly result: string }[];
}

function yaml(text: string): Json {
  const value = parseYaml(text);
  assert(!isFault(value));
  return value;
}

for (const section of Deno.readDirSync(folder)) {
  for (const { name } of Deno.readDirSync(`${folder}/${section.name}`)) {
    const here = `${folder}/${section.name}/${name}`;
    const text = await Deno.readTextFile(`${here}/json-scan.yaml`).catch(() => undefined);
    if (text === undefined) continue;
    Deno.test(`json scan gives the expected results of the example ${section.name}/${name}`, async () => {
      const { documents } = parseDocuments(await Deno.readTextFile(`${here}/policy.yaml`), "policy.yaml");
      const { jsonPolicies, diagnostics } = compile(documents);
      assert.deepEqual(diagnostics, []);
      const payload = yaml(await Deno.readTextFile(`${here}/payload.yaml`));
      const ports = { clock: { now: () => 0 }, entropy: { next: () => 0 } };
      const results = scanPayload(jsonPolicies, payload, ports);
      const { results: expected } = yaml(text) as unknown as ScanTest;
      assert.deepEqual(
        results.map(({ rule, result }) => ({ rule, result })),
        expected.map(({ rule, result }) => ({ rule, result })),
      );
    });
  }
}
