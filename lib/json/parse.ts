import { nestsDeeperThan } from "./depth.ts";
import type { Json } from "./json.ts";

/** What Go's decoder of JSON, and everything here that walks values, takes without harm. */
const deepest = 1_000;

/**
 * The value of a JSON text; `undefined` when it is none, or nests so deeply that walking it would exhaust the stack. For
 * text that came from somebody else and needs no reason why it cannot be read.
 *
 * ```ts
 * import { parseJson } from "./parse.ts";
 * import assert from "node:assert/strict";
 * assert.deepEqual(parseJson('{"a":[1]}'), { a: [1] });
 * assert.equal(parseJson("{a: 1}"), undefined);
 * assert.equal(parseJson("[".repeat(5000) + "]".repeat(5000)), undefined);
 * ```
 */
export function parseJson(text: string): Json | undefined {
  if (nestsDeeperThan(deepest, text)) return undefined;
  try {
    const value: Json = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}
