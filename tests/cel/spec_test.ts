/** The specification's own tests, which come with the npm package `@bufbuild/cel-spec`. */
import assert from "node:assert/strict";
import { acceptedDifferences } from "../conformance/accepted_differences.ts";
import { specCases } from "./spec_cases.ts";

const cases = specCases();
const accepted = acceptedDifferences("cel-spec");

Deno.test("the corpus has all of the specification's tests without protocol buffers", () => {
  assert.equal(cases.length, 1665);
});

for (const file of new Set(cases.map(({ id }) => id.split("/")[0]!))) {
  Deno.test(`the specification's ${file} tests agree, but for the differences with a reason`, () => {
    const wrong: string[] = [];
    for (const { id, text, run } of cases) {
      if (!id.startsWith(`${file}/`)) continue;
      const { agree, expected, actual } = run();
      const reason = accepted.get(`${id} result`);
      if (!agree && reason === undefined) {
        wrong.push(`${id}: ${text}\n  expected ${expected}\n  actual   ${actual}`);
      }
      if (agree && reason !== undefined) wrong.push(`${id} agrees, but is listed: ${reason}`);
    }
    assert.deepEqual(wrong, []);
  });
}
