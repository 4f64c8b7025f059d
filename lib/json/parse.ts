import { maxJsonDepth, nestsDeeperThan } from "./depth.ts";
import { heapSizeOfText } from "./heap_size.ts";
import type { Json } from "./json.ts";
import { parseJsonText } from "./json_text.ts";

/**
 * Returns the value of a JSON text; `undefined` when the text is no JSON, nests so deeply that a recursive walk would
 * exhaust the stack, or would take more than `mostHeap` bytes of heap. Use it for text from outside, when the caller
 * needs no reason.
 *
 * ```ts
 * import { parseJson } from "./parse.ts";
 * import assert from "node:assert/strict";
 * assert.deepEqual(parseJson('{"a":[1]}'), { a: [1] });
 * assert.equal(parseJson("{a: 1}"), undefined);
 * assert.equal(parseJson("[".repeat(5000) + "]".repeat(5000)), undefined);
 * ```
 */
export function parseJson(text: string, mostHeap = Infinity): Json | undefined {
  if (mostHeap < Infinity && heapSizeOfText(text) > mostHeap) return undefined;
  if (nestsDeeperThan(maxJsonDepth, text)) return undefined;
  try {
    return parseJsonText(text);
  } catch {
    return undefined;
  }
}
