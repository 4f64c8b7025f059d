import { isList, type Json } from "./json.ts";
import { endOfString } from "./string_end.ts";

/**
 * Bytes that parts of a JSON value take in V8's heap, with their entry in the list or map around them (measured: V8 14,
 * 64 bits, without compressed pointers). Names of fields are mostly shared, so they count less than other texts.
 */
const bytesOf = { map: 64, list: 48, text: 32, name: 40, other: 8 } as const;

/**
 * Estimates the bytes of heap that a JSON text takes once it is parsed: `[{},{},…]` takes twenty times as much as its
 * text. It reads the text once, a megabyte in some milliseconds. The text need not be valid.
 *
 * ```ts
 * import { heapSizeOfText } from "./heap_size.ts";
 * import assert from "node:assert/strict";
 * assert.equal(heapSizeOfText("[{},{}]"), 48 + 64 + 8 + 64);
 * ```
 */
export function heapSizeOfText(text: string): number {
  let bytes = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22: { // "
        const start = at;
        at = endOfString(text, at);
        bytes += at - start + bytesOf.text;
        break;
      }
      case 0x5b: // [
        bytes += bytesOf.list;
        break;
      case 0x7b: // {
        bytes += bytesOf.map;
        break;
      case 0x3a: // :
        bytes += bytesOf.name - bytesOf.text;
        break;
      case 0x2c: // ,
        bytes += bytesOf.other;
    }
  }
  return bytes;
}

/**
 * Estimates the bytes of heap that a JSON value takes, as {@link heapSizeOfText} does. Parts that values share count
 * each time.
 */
export function heapSize(value: Json | undefined): number {
  let bytes = 0;
  const waiting: (Json | undefined)[] = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next === "string") bytes += next.length + bytesOf.text;
    else if (typeof next !== "object" || next === null) bytes += bytesOf.other;
    else if (isList(next)) {
      bytes += bytesOf.list;
      for (const item of next) waiting.push(item);
    } else {
      bytes += bytesOf.map;
      for (const name in next) {
        bytes += bytesOf.name + name.length;
        waiting.push(next[name as keyof typeof next]);
      }
    }
  }
  return bytes;
}
