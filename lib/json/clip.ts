import { detached } from "./detached.ts";

/**
 * Cuts a text for people after a number of characters: a message that holds a value of a request can be as
 * large as the request. What is left does not keep the whole text: a hundred rules whose messages quoted 3 MB of a
 * request filled the heap.
 *
 * ```ts
 * import { clipped } from "./clip.ts";
 * import assert from "node:assert/strict";
 * assert.equal(clipped("short", 10), "short");
 * assert.equal(clipped("0123456789", 4), "0123 … (6 more characters)");
 * ```
 */
export function clipped(text: string, most: number): string {
  if (text.length <= most) return text;
  const half = text.charCodeAt(most - 1);
  const end = half >= 0xd800 && half <= 0xdbff ? most - 1 : most;
  return detached(`${text.slice(0, end)} … (${text.length - end} more characters)`);
}

/** Characters of a text that a message quotes. */
const mostQuoted = 1_000;

/**
 * A text in double quotes for a message. A long one is cut first: quoting 3 MB of a request takes up to 0.7 seconds and
 * 36 MB.
 *
 * ```ts
 * import { quoted } from "./clip.ts";
 * import assert from "node:assert/strict";
 * assert.equal(quoted("a\tb"), '"a\\tb"');
 * ```
 */
export function quoted(text: string): string {
  return JSON.stringify(clipped(text, mostQuoted));
}
