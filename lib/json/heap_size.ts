import { isList, type Json } from "./json.ts";
import type { Stages } from "./stages.ts";
import { endOfString } from "./string_end.ts";

/**
 * Bytes that parts of a JSON value take in V8's heap, with their entry in the list or map around them (measured: V8 14,
 * 64 bits, without compressed pointers). Names of fields are mostly shared, so they count less than other texts.
 */
interface HeapBytes {
  readonly map: number;
  readonly emptyMap: number;
  readonly list: number;
  readonly text: number;
  readonly name: number;
  readonly other: number;
}

const unshared: HeapBytes = { map: 64, emptyMap: 64, list: 48, text: 32, name: 40, other: 8 };

/**
 * The same in lists of objects of one kind, which share their shapes and most of their names: half, except for what
 * nothing can share, such as empty maps and the entries of lists.
 */
const shared: HeapBytes = { map: 32, emptyMap: 64, list: 24, text: 16, name: 20, other: 8 };

/** The most bytes of heap for a character of JSON, which a list of empty maps comes near. */
export const densestHeap = 24;

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
  return bytesOfText(text, unshared);
}

/**
 * Estimates the bytes of heap that the objects of a text take when they are of one kind, as in a list: V8 then stores
 * the names of their fields once.
 *
 * ```ts
 * import { sharedHeapSizeOfText } from "./heap_size.ts";
 * import assert from "node:assert/strict";
 * assert.equal(sharedHeapSizeOfText('[{},{"a":1}]'), 24 + 64 + 8 + 32 + 20 + 2);
 * ```
 */
export function sharedHeapSizeOfText(text: string): number {
  return bytesOfText(text, shared);
}

/** The most bytes of heap for the value of a text that an expression parses. */
const mostOfText = 16 * 1024 * 1024;

/**
 * Whether the value of a JSON text would take too much heap for an expression. A text in an object may have 3 MB:
 * `[{},{},…]` of that size takes 60 MB when it is parsed, and the estimate for the review counted only its characters.
 */
export function isTooDense(text: string): boolean {
  return text.length * densestHeap > mostOfText && heapSizeOfText(text) > mostOfText;
}

/** Walks a text once. */
function bytesOfText(text: string, bytesOf: HeapBytes): number {
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
        bytes += text.charCodeAt(at + 1) === 0x7d ? bytesOf.emptyMap : bytesOf.map;
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
  return bytesOfValue(value, unshared);
}

/**
 * Estimates the bytes of heap that a value takes which is kept among others of its kind, as
 * {@link sharedHeapSizeOfText} does.
 *
 * ```ts
 * import { sharedHeapSize } from "./heap_size.ts";
 * import assert from "node:assert/strict";
 * assert.equal(sharedHeapSize([{}, { a: 1 }, "abc"]), 24 + 64 + 32 + 1 + 20 + 8 + 3 + 16);
 * ```
 */
export function sharedHeapSize(value: Json | undefined): number {
  return bytesOfValue(value, shared);
}

/** The values that are walked at once, in some milliseconds. */
const valuesOfStage = 20_000;

/** Estimates as {@link sharedHeapSize} does, in stages. */
export function* sharedHeapSizeInStages(value: Json): Stages<number> {
  const waiting: (Json | undefined)[] = [value];
  let bytes = 0;
  for (;;) {
    bytes += bytesOfNext(waiting, shared, valuesOfStage);
    if (waiting.length === 0) return bytes;
    yield undefined;
  }
}

/** Walks a value once. */
function bytesOfValue(value: Json | undefined, bytesOf: HeapBytes): number {
  return bytesOfNext([value], bytesOf, Infinity);
}

/** Walks the values that wait, `most` at most: their members wait meanwhile. */
function bytesOfNext(waiting: (Json | undefined)[], bytesOf: HeapBytes, most: number): number {
  let bytes = 0;
  for (let left = most; left > 0 && waiting.length > 0; left--) {
    const next = waiting.pop();
    if (typeof next === "string") bytes += next.length + bytesOf.text;
    else if (typeof next !== "object" || next === null) bytes += bytesOf.other;
    else if (isList(next)) {
      bytes += bytesOf.list;
      for (const item of next) waiting.push(item);
    } else {
      let ofMap = bytesOf.emptyMap;
      for (const name in next) {
        ofMap = bytesOf.map;
        bytes += name.length + bytesOf.name;
        waiting.push(next[name as keyof typeof next]);
      }
      bytes += ofMap;
    }
  }
  return bytes;
}
