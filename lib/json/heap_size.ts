import { isList, type Json } from "./json.ts";
import { endOfString } from "./string_end.ts";

/**
 * Bytes that parts of a JSON value take in V8's heap, with their entry in the list or map around them (measured: V8 14,
 * 64 bits, without compressed pointers). Names of fields are mostly shared, so they count less than other texts.
 */
const bytesOf = { map: 64, list: 48, text: 32, name: 40, other: 8 } as const;

/** The most bytes of heap for a character of JSON, which a list of empty maps comes near. */
export const densestHeap = 24;

type Part = keyof typeof bytesOf;

/** The same where values share their shapes. */
const sharedBytesOf = { map: 32, list: 24, text: 16, name: 20, other: 8 } as const;

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
  return bytesOfText(text, bytesOf, 0);
}

/**
 * Estimates the same for lists of objects of one kind, which share their shapes and most of their names: maps, names and
 * the bytes around texts count half, but not what nothing can share, such as empty maps and the entries of lists.
 *
 * ```ts
 * import { sharedHeapSizeOfText } from "./heap_size.ts";
 * import assert from "node:assert/strict";
 * assert.equal(sharedHeapSizeOfText('[{},{"a":1}]'), 24 + 64 + 8 + 32 + 20 + 2);
 * ```
 */
export function sharedHeapSizeOfText(text: string): number {
  return bytesOfText(text, sharedBytesOf, bytesOf.map - sharedBytesOf.map);
}

/** Walks a text once; an empty map counts so many bytes more. */
function bytesOfText(text: string, bytesOf: Readonly<Record<Part, number>>, moreIfEmpty: number): number {
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
        if (text.charCodeAt(at + 1) === 0x7d) bytes += moreIfEmpty;
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
  const { texts, structure } = partsOf(value);
  return texts + structure;
}

/**
 * Estimates the same for a value that is kept among others of its kind: objects of one kind share their shapes, and most
 * of their names and short texts, so the bytes beside the texts count half.
 *
 * ```ts
 * import { sharedHeapSize } from "./heap_size.ts";
 * import assert from "node:assert/strict";
 * assert.equal(sharedHeapSize([{}, {}, "abc"]), 24 + 32 + 32 + 3 + 16);
 * ```
 */
export function sharedHeapSize(value: Json | undefined): number {
  const { texts, structure } = partsOf(value);
  return texts + structure / 2;
}

/** The bytes of a value: those of its texts and names, and those of everything around them. */
function partsOf(value: Json | undefined): { readonly texts: number; readonly structure: number } {
  let texts = 0, structure = 0;
  const waiting: (Json | undefined)[] = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next === "string") {
      texts += next.length;
      structure += bytesOf.text;
    } else if (typeof next !== "object" || next === null) structure += bytesOf.other;
    else if (isList(next)) {
      structure += bytesOf.list;
      for (const item of next) waiting.push(item);
    } else {
      structure += bytesOf.map;
      for (const name in next) {
        texts += name.length;
        structure += bytesOf.name;
        waiting.push(next[name as keyof typeof next]);
      }
    }
  }
  return { texts, structure };
}
