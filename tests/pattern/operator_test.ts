import assert from "node:assert/strict";
import fc from "fast-check";
import { compileRange, parseRange, parseTerm } from "../../lib/pattern/mod.ts";

const comparisons: readonly (readonly [piece: string, comparison: string, text: string])[] = [
  [">=5", ">=", "5"],
  ["<= 1Gi", "<=", "1Gi"],
  [">5m", ">", "5m"],
  ["<-1", "<", "-1"],
  ["!nginx:*", "!", "nginx:*"],
  ["! a b ", "!", "a b"],
  [">=1-10", ">=", "1-10"],
  ["!-5", "!", "-5"],
  ["nginx", "=", "nginx"],
  ["-5", "=", "-5"],
  ["1.2.3-4", "=", "1.2.3-4"],
  ["a-b", "=", "a-b"],
  ["!", "=", "!"],
  [">", "=", ">"],
  ["", "=", ""],
];
for (const [piece, comparison, text] of comparisons) {
  Deno.test(`parseTerm() reads ${JSON.stringify(piece)} as ${comparison} ${JSON.stringify(text)}`, () => {
    assert.deepEqual(parseTerm(piece), { kind: "comparison", comparison, text });
  });
}

const ranges: readonly (readonly [text: string, kind: string, low: string, high: string])[] = [
  ["1-10", "inside", "1", "10"],
  ["1!-10", "outside", "1", "10"],
  ["-5--1", "inside", "-5", "-1"],
  ["+1-+2", "inside", "+1", "+2"],
  ["-5!--1", "outside", "-5", "-1"],
  ["128Mi-1.5Gi", "inside", "128Mi", "1.5Gi"],
  ["30s-1h", "inside", "30s", "1h"],
];
for (const [text, kind, low, high] of ranges) {
  Deno.test(`parseRange() reads ${text} as ${kind} ${low} and ${high}`, () => {
    assert.deepEqual(parseRange(text), { kind, low, high });
    assert.deepEqual(parseTerm(text), { kind, low, high });
  });
}

for (const text of ["", "-", "1-", "-10", "1--", "a-b", "1-10-20", "1 - 10", ">1-10", "1.-2"]) {
  Deno.test(`parseRange() finds no range in ${JSON.stringify(text)}`, () => {
    assert.equal(parseRange(text), undefined);
  });
}

Deno.test("a range and its opposite disagree on every integer, and the ends are inside", () => {
  const number = fc.integer({ min: -1000, max: 1000 });
  fc.assert(fc.property(number, number, number, (low, high, value) => {
    const inside = compileRange(parseRange(`${low}-${high}`)!);
    const outside = compileRange(parseRange(`${low}!-${high}`)!);
    assert.equal(inside(value), value >= low && value <= high);
    assert.equal(outside(value), !inside(value));
  }));
});
