/**
 * Returns a text without those of the given characters that it ends with. It reads each of them once; a regular
 * expression such as `/0+$/` would begin anew at each zero.
 *
 * ```ts
 * import { withoutEnding } from "./text_end.ts";
 * import assert from "node:assert/strict";
 * assert.equal(withoutEnding("https://rekor.example//", "/"), "https://rekor.example");
 * assert.equal(withoutEnding("100", "0"), "1");
 * ```
 */
export function withoutEnding(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text[end - 1]!)) end--;
  return text.slice(0, end);
}
