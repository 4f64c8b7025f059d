import assert from "node:assert/strict";
import fc from "fast-check";
import { lineDiff } from "../../lib/testing/mod.ts";

const cases: readonly [what: string, first: string, second: string, lines: readonly string[]][] = [
  ["nothing for equal texts", "a\nb", "a\nb", []],
  ["a changed line with the lines around it", "1\n2\n3\n4\n5\n6\n7", "1\n2\n3\nx\n5\n6\n7", [
    "  2",
    "  3",
    "- 4",
    "+ x",
    "  5",
    "  6",
    "  …",
  ]],
  ["lines that were added at the end", "a", "a\nb", ["  a", "+ b"]],
  ["lines that are gone at the beginning", "a\nb", "b", ["- a", "  b"]],
  ["only sizes of long texts", "a\n".repeat(3000), "b", ["- 3001 lines", "+ 1 lines"]],
];

for (const [what, first, second, lines] of cases) {
  Deno.test(`lineDiff() shows ${what}`, () => {
    assert.deepEqual(lineDiff(first, second), lines);
  });
}

const text = fc.array(fc.constantFrom("a", "b", "c", "d"), { minLength: 1, maxLength: 12 });

Deno.test("lineDiff() is empty only for equal texts, and keeps the order of each text's lines", () => {
  fc.assert(fc.property(text, text, (first, second) => {
    const lines = lineDiff(first.join("\n"), second.join("\n"));
    assert.equal(lines.length === 0, first.join("\n") === second.join("\n"));
    const kept = (mark: string): string[] =>
      lines.filter((line) => line.startsWith(mark)).map((line) => line.slice(2));
    assert.equal(kept("-").length - kept("+").length, first.length - second.length);
    assert.ok(isSubsequence(kept("-"), first));
    assert.ok(isSubsequence(kept("+"), second));
  }));
});

function isSubsequence(part: readonly string[], whole: readonly string[]): boolean {
  let index = 0;
  for (const line of whole) if (line === part[index]) index++;
  return index === part.length;
}
