import { isList, isObject, type Json } from "../json/mod.ts";

/**
 * Bytes that parts of a JSON value take in V8's heap beside their texts, with their entry in the list or map around them.
 * That is half of what {@link heapSize} counts, the most that they take: objects of one kind share their shapes, and most
 * of their names and short texts.
 */
const bytesOf = { map: 32, list: 24, text: 16, name: 20, other: 4 } as const;

/**
 * Estimates how many bytes of heap a JSON value takes that is kept among others of its kind, to bound what is kept. Shared
 * parts count each time.
 *
 * ```ts
 * import { approximateBytes } from "./size.ts";
 * import assert from "node:assert/strict";
 * assert.equal(approximateBytes([{}, {}, "abc"]), 24 + 32 + 32 + 3 + 16);
 * ```
 */
export function approximateBytes(value: Json | undefined): number {
  let bytes = 0;
  const waiting: (Json | undefined)[] = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next === "string") bytes += next.length + bytesOf.text;
    else if (isList(next)) {
      bytes += bytesOf.list;
      for (const item of next) waiting.push(item);
    } else if (isObject(next)) {
      bytes += bytesOf.map;
      for (const [name, item] of Object.entries(next)) {
        bytes += bytesOf.name + name.length;
        waiting.push(item);
      }
    } else bytes += bytesOf.other;
  }
  return bytes;
}
