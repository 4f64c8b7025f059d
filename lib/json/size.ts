import { isList, type Json, type JsonObject } from "./json.ts";

/**
 * Counts the bytes of a value as compact JSON in UTF-8, without writing it. Counting ends soon after it exceeds
 * a limit: values share their parts, so a value that takes little memory may be huge as text.
 *
 * ```ts
 * import { jsonSize } from "./size.ts";
 * import assert from "node:assert/strict";
 * assert.equal(jsonSize({ a: [1, true, null], b: "é" }), '{"a":[1,true,null],"b":"é"}'.length + 1);
 * ```
 */
export function jsonSize(value: Json, limit = Infinity): number {
  return sized(value, limit, bytesOf);
}

/**
 * The same in characters, without those of escapes. It reads no text: V8 keeps a joined text as its parts, which may be
 * shared, until its characters are read, and as one whole from then on.
 *
 * ```ts
 * import { jsonLength } from "./size.ts";
 * import assert from "node:assert/strict";
 * assert.equal(jsonLength({ a: "é" }), '{"a":"é"}'.length);
 * ```
 */
export function jsonLength(value: Json, limit = Infinity): number {
  return sized(value, limit, (text) => text.length + 2);
}

function sized(value: Json, limit: number, sizeOf: (text: string) => number): number {
  if (typeof value === "string") return sizeOf(value);
  if (value === null || typeof value !== "object") return String(value).length;
  let size = 1;
  if (isList(value)) {
    for (let index = 0; index < value.length && size <= limit; index++) {
      size += sized(value[index]!, limit - size, sizeOf) + 1;
    }
    return Math.max(size, 2);
  }
  for (const key in value) { // Only the object's keys: inherited properties are not enumerable.
    if (size > limit) break;
    size += sizeOf(key) + sized((value as JsonObject)[key]!, limit - size, sizeOf) + 2;
  }
  return Math.max(size, 2);
}

function bytesOf(text: string): number {
  let size = text.length + 2;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit >= 0x80) size += unit < 0x800 || isSurrogate(unit) ? 1 : 2;
    else if (unit === 0x22 || unit === 0x5c) size++;
    else if (unit < 0x20) size += unit >= 8 && unit <= 13 && unit !== 11 ? 1 : 5;
  }
  return size;
}

/** Whether the unit is half of a surrogate pair; two of them are one character of four bytes. */
function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff;
}
