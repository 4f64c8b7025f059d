import assert from "node:assert/strict";
import { didYouMean } from "../../lib/diagnostics/mod.ts";

const cases: [name: string, expected: string | undefined][] = [
  ["pattren", "pattern"],
  ["Pattern", "pattern"],
  ["anyPatern", "anyPattern"],
  ["den", "deny"],
  ["something", undefined],
];
for (const [name, expected] of cases) {
  Deno.test(`didYouMean() takes ${name} for ${expected}`, () => {
    assert.equal(didYouMean(name, ["pattern", "anyPattern", "deny", "foreach"]), expected);
  });
}
