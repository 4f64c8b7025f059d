import { detached } from "./detached.ts";
import type { Json } from "./json.ts";

/** V8 copies a part of a text that has at most so many characters. */
const copied = 12;

/** A text with fewer characters may be kept by its parts. */
const long = 4_096;

/**
 * The result of a function, without a long text that it was cut from ({@link detached}). A rule keeps a label of twenty
 * characters until the answer, and with it the 3 MB that `to_upper` made: fifty such rules filled the heap.
 *
 * ```ts
 * import { apart } from "./apart.ts";
 * import assert from "node:assert/strict";
 * assert.equal(apart("some words", ["some words of many"]), "some words");
 * ```
 */
export function apart<Result>(result: Result, sources: readonly unknown[]): Result {
  const isText = typeof result === "string";
  if (isText ? result.length <= copied : !Array.isArray(result)) return result;
  const least = isText ? Math.max(long, 2 * result.length) : long;
  for (const source of sources) {
    if (typeof source !== "string" || source.length < least) continue;
    return isText || isCutFrom(source, result as readonly unknown[])
      ? detached(result as Json) as Result
      : result;
  }
  return result;
}

/** Whether a list has only texts, of which one may keep the source in memory although it is much shorter. */
function isCutFrom(source: string, list: readonly unknown[]): boolean {
  return list.every((item) => typeof item === "string") &&
    list.some(({ length }) => length > copied && 2 * length < source.length);
}
