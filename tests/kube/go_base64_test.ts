import assert from "node:assert/strict";
import { decodeBase64, encodeBase64, encodeBase64Text } from "../../lib/kube/mod.ts";

const texts: [name: string, text: string][] = [
  ["an empty text", ""],
  ["a letter", "a"],
  ["letters outside ASCII", "größer – 日本 😀"],
  ["a lone surrogate", "\ud800"],
  ["a text above the size of the buffer", "ä".repeat(40_000)],
];
for (const [name, text] of texts) {
  Deno.test(`base64 encodes the UTF-8 of a text: ${name}`, () => {
    const bytes = new TextEncoder().encode(text);
    assert.equal(encodeBase64Text(text), encodeBase64(bytes));
    assert.deepEqual(decodeBase64(encodeBase64Text(text)), bytes);
  });
}
