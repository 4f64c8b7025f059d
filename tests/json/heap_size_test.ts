import assert from "node:assert/strict";
import fc from "fast-check";
import { heapSize, heapSizeOfText, type Json } from "../../lib/json/mod.ts";

Deno.test("the estimate for a text is near that for its value", () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => {
    const text = JSON.stringify(value);
    fc.pre(!text.includes("\\"));
    const ofText = heapSizeOfText(text), ofValue = heapSize(JSON.parse(text) as Json);
    assert.ok(ofText <= 1.5 * ofValue + 16 && ofValue <= 1.5 * ofText + 16, `${ofText} ${ofValue}`);
  }));
});

const cases: readonly (readonly [text: string, bytes: number])[] = [
  ['"[{,:\\"{[,:"', 12 + 31],
  ['"\\\\"', 3 + 32],
  ['{"a":"b"}', 64 + 42 + 34],
  ["[[],[],1,2]", 3 * 48 + 3 * 8],
  ['"unclosed {{{{', 14 + 32],
];
for (const [text, bytes] of cases) {
  Deno.test(`${text} takes ${bytes} bytes`, () => assert.equal(heapSizeOfText(text), bytes));
}
