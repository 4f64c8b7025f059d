import { type Json, setField } from "../json/mod.ts";
import { failure, isCelFault } from "./fault.ts";
import type { CelFault } from "./fault.ts";
import type { Result } from "./libraries/library.ts";
import {
  Double,
  Duration,
  formatDuration,
  formatTimestamp,
  isListValue,
  isMapValue,
  mapEntries,
  Opaque,
  Optional,
  Timestamp,
  toFloat,
  toInt,
  TypeValue,
  Uint,
  type Value,
} from "./values/mod.ts";

/**
 * The value as JSON: bytes in base64, times and durations as text, an absent optional as null, values of a library's
 * type as that prints them. Errors stay errors. Ints beyond 2^53 lose their last digits, as in all our JSON.
 */
export function celToJson(value: Result): Json | CelFault {
  if (isCelFault(value)) return value;
  switch (typeof value) {
    case "bigint":
      return Number(value);
    case "number":
      return Number.isFinite(value) ? value : String(value);
    case "string":
    case "boolean":
      return value;
  }
  if (value === null) return null;
  if (value instanceof Double) return value.value;
  if (value instanceof Uint) return Number(value.value);
  if (value instanceof Uint8Array) return base64(value);
  if (value instanceof Timestamp) return formatTimestamp(value);
  if (value instanceof Duration) return formatDuration(value);
  if (value instanceof TypeValue) return value.name;
  if (value instanceof Optional) return value.value === undefined ? null : celToJson(value.value);
  if (value instanceof Opaque) return value.toString();
  if (isListValue(value)) {
    const items: Json[] = [];
    for (const item of value) {
      const json = celToJson(item);
      if (isCelFault(json)) return json;
      items.push(json);
    }
    return items;
  }
  if (!isMapValue(value)) return failure("the value has no JSON form");
  const object: { [key: string]: Json } = {};
  for (const [key, item] of mapEntries(value)) {
    const name = celToJson(key), json = celToJson(item);
    if (isCelFault(name)) return name;
    if (isCelFault(json)) return json;
    setField(object, String(name), json);
  }
  return object;
}

function base64(bytes: Uint8Array): string {
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}

/**
 * Reads JSON text without losing what its numbers are: `2.0` and `1e3` stay doubles, integers of any size stay exact.
 * Plain `JSON.parse` makes ints of both. `undefined` when the text is no JSON.
 *
 * ```ts
 * import { parseExactJson } from "./json.ts";
 * import { Double } from "./values/mod.ts";
 * import assert from "node:assert/strict";
 * assert.deepEqual(parseExactJson("[2, 2.0, 9007199254740993]"), [2, new Double(2), 9007199254740993n]);
 * ```
 */
export function parseExactJson(text: string): Value | undefined {
  try {
    return JSON.parse(text, exactNumber);
  } catch {
    return undefined;
  }
}

function exactNumber(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== "number" || context?.source === undefined) return value;
  if (/[.eE]/.test(context.source)) return toFloat(value);
  const exact = toInt(BigInt(context.source));
  return isCelFault(exact) ? toFloat(value) : exact;
}
