/**
 * Returns the index of the quotation mark that closes the string of JSON which opens at `start`, or the length of the
 * text when none does.
 *
 * ```ts
 * import { endOfString } from "./string_end.ts";
 * import assert from "node:assert/strict";
 * assert.equal(endOfString(String.raw`["a\"b"]`, 1), 6);
 * ```
 */
export function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let escapes = 0;
    while (text.charCodeAt(at - 1 - escapes) === 0x5c) escapes++;
    if (escapes % 2 === 0) return at;
  }
  return text.length;
}
