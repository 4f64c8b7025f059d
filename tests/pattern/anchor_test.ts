import assert from "node:assert/strict";
import fc from "fast-check";
import { type Anchor, parseAnchor } from "../../lib/pattern/mod.ts";

const cases: readonly (readonly [key: string, anchor: Anchor | undefined])[] = [
  ["(image)", { kind: "condition", key: "image" }],
  ["<(image)", { kind: "global", key: "image" }],
  ["=(image)", { kind: "equality", key: "image" }],
  ["^(image)", { kind: "existence", key: "image" }],
  ["X(image)", { kind: "negation", key: "image" }],
  ["+(image)", { kind: "addition", key: "image" }],
  [" =(image)\t", { kind: "equality", key: "image" }],
  ["( image )", { kind: "condition", key: " image " }],
  ["((a)", { kind: "condition", key: "(a" }],
  ["=(a)(b)", { kind: "equality", key: "a)(b" }],
  ["image", undefined],
  ["()", undefined],
  ["x(image)", undefined],
  ["==(image)", undefined],
  ["= (image)", undefined],
  ["(image", undefined],
  ["(a\nb)", undefined],
  ["", undefined],
];
for (const [key, anchor] of cases) {
  Deno.test(`parseAnchor() reads ${JSON.stringify(key)} as ${anchor?.kind ?? "a plain key"}`, () => {
    assert.deepEqual(parseAnchor(key), anchor);
  });
}

Deno.test("parseAnchor() finds the key inside every anchor", () => {
  const sign = fc.constantFrom("", "<", "=", "^", "X", "+");
  const key = fc.string({ minLength: 1 }).filter((text) => !text.includes("\n"));
  fc.assert(fc.property(sign, key, (sign, key) => parseAnchor(`${sign}(${key})`)?.key === key));
});
