import assert from "node:assert/strict";
import fc from "fast-check";
import { type Json, jsonSize } from "../../lib/json/mod.ts";

Deno.test("jsonSize() counts the bytes of compact JSON in UTF-8", () => {
  fc.assert(fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
    const text = JSON.stringify(value);
    fc.pre(text.isWellFormed() && !/\\ud[89a-f]/.test(text));
    assert.equal(jsonSize(JSON.parse(text) as Json), new TextEncoder().encode(text).length);
  }));
});

const cases: [value: Json, size: number][] = [
  ["", 2],
  ['"\\', 6],
  ["\n\u0001", 2 + 2 + 6],
  ["é€😀", 2 + 2 + 3 + 4],
  [[], 2],
  [{}, 2],
  [[[], {}], 7],
  [{ a: null, b: [1.5, false] }, 26],
];
for (const [value, size] of cases) {
  Deno.test(`${JSON.stringify(value)} takes ${size} bytes`, () => assert.equal(jsonSize(value), size));
}
