import { isList, isObject, type Json } from "./json.ts";
import { withoutEnding } from "./text_end.ts";

/** Orders strings by their UTF-8 bytes, as Go orders map keys when it prints them. */
export function compareBytes(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let index = length > block ? commonBlocks(left, right, length) : 0; index < length; index++) {
    const a = left.charCodeAt(index), b = right.charCodeAt(index);
    if (a === b) continue;
    // In UTF-8, characters outside the basic plane sort last; in UTF-16, their surrogates sort before U+E000.
    const aHigh = a >= 0xd800 && a <= 0xdfff, bHigh = b >= 0xd800 && b <= 0xdfff;
    return aHigh === bHigh ? a - b : aHigh ? 1 : -1;
  }
  return left.length - right.length;
}

/**
 * Orders strings by their UTF-16 code units, as `<` does. Where the order must be
 * Go's, use {@link compareBytes}.
 */
export function compareTexts(left: string, right: string): -1 | 0 | 1 {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** Characters that the runtime compares at once, which takes a twentieth of the time. */
const block = 64;

/** Returns the length of blocks with which both texts begin. */
function commonBlocks(left: string, right: string, length: number): number {
  if (left === right) return length;
  let end = block;
  while (end <= length && left.slice(end - block, end) === right.slice(end - block, end)) end += block;
  return end - block;
}

const surrogates = /[\ud800-\udfff]/;

/**
 * Returns the texts in the order of {@link compareBytes}. The runtime's order, which takes down to a tenth of the time,
 * is the same where no text has a surrogate.
 */
export function sortedTexts(texts: readonly string[]): string[] {
  return texts.length < 16 || texts.some((text) => surrogates.test(text))
    ? texts.toSorted(compareBytes)
    : texts.toSorted();
}

/** Returns the object's keys in Go's printing order. */
export function sortedKeys(value: object): string[] {
  return sortedTexts(Object.keys(value));
}

/**
 * Writes a number as Go prints a float64 with `%v`: with the shortest digits, and in exponent form below
 * `1e-04` and from `1e+06` on.
 *
 * ```ts
 * import { goFloat } from "./go_text.ts";
 * import assert from "node:assert/strict";
 * assert.equal(goFloat(100000), "100000");
 * assert.equal(goFloat(1234567), "1.234567e+06");
 * assert.equal(goFloat(0.00001), "1e-05");
 * ```
 */
export function goFloat(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf";
  if (value === 0) return Object.is(value, -0) ? "-0" : "0";
  const [digits, power] = value.toExponential().split("e") as [string, string];
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 6) return plainDecimal(value);
  return `${digits}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
}

function plainDecimal(value: number): string {
  const text = String(value);
  return text.includes("e") ? withoutEnding(value.toFixed(20), "0") : text;
}

/** Returns the name of a value's type in Go (`%T`), where every number is a float64. */
export function goTypeOf(value: Json | undefined): string {
  if (isList(value)) return "[]interface {}";
  if (isObject(value)) return "map[string]interface {}";
  return { string: "string", number: "float64", boolean: "bool" }[typeof value as string] ?? "<nil>";
}

/** Writes any value as Go prints it with `%v`: `map[a:1 b:[x y]]`, `<nil>`. */
export function goPrint(value: Json): string {
  if (value === null) return "<nil>";
  if (typeof value === "number") return goFloat(value);
  if (isList(value)) return `[${value.map(goPrint).join(" ")}]`;
  if (isObject(value)) {
    return `map[${sortedKeys(value).map((key) => `${key}:${goPrint(value[key]!)}`).join(" ")}]`;
  }
  return String(value);
}

/**
 * Writes JSON as Go's encoder does: keys sorted, and `<`, `>`, `&`, U+2028, U+2029 escaped; compact, or with an
 * indent for each level.
 *
 * ```ts
 * import { goJson } from "./go_text.ts";
 * import assert from "node:assert/strict";
 * assert.equal(goJson({ b: "<", "2": 1, "10": 1 }), '{"10":1,"2":1,"b":"\\u003c"}');
 * ```
 */
export function goJson(value: Json, indent = ""): string {
  if (typeof value === "number" && Number.isFinite(value)) return String(value);
  const sorting = new Sorting();
  const sorted = sorting.of(value);
  const text = sorting.isLost ? sortedJson(sorted, indent, "\n") : JSON.stringify(sorted, null, indent);
  return text.replace(/[<>&\u2028\u2029]/g, (unit) => escapes[unit]!);
}

/** A table, because computing the escape of each of a million units takes three times as long. */
const escapes: Readonly<Record<string, string>> = {
  "<": "\\u003c",
  ">": "\\u003e",
  "&": "\\u0026",
  "\u2028": "\\u2028",
  "\u2029": "\\u2029",
};

/** Copies values with sorted keys. */
class Sorting {
  /** Whether a copy has keys in another order: JavaScript puts `2` before `10`, and both before `-`. */
  isLost = false;

  /** The value with sorted keys everywhere. Parts that have them are not copied: lists of numbers, empty objects. */
  of(value: Json): Json {
    if (isList(value)) {
      let sorted: Json[] | undefined;
      for (let index = 0; index < value.length; index++) {
        const element = value[index]!;
        if (typeof element !== "object" || element === null) continue;
        const changed = this.of(element);
        if (changed !== element) (sorted ??= [...value])[index] = changed;
      }
      return sorted ?? value;
    }
    if (!isObject(value)) return value;
    const keys = sortedKeys(value);
    if (keys.length === 0) return value;
    // Objects without a prototype are tables of hashes from the start. V8 makes a hidden class for each new field of
    // others, which takes ten times as long when objects have different fields.
    const copy = Object.create(null) as { [key: string]: Json };
    for (const key of keys) copy[key] = this.of(value[key]!);
    if (!this.isLost && keys.some(isIndex)) {
      this.isLost = Object.keys(copy).some((key, index) => key !== keys[index]);
    }
    return copy;
  }
}

/** Whether a key may be one that JavaScript puts before all others, in the order of numbers. */
function isIndex(key: string): boolean {
  const first = key.charCodeAt(0);
  return first >= 0x30 && first <= 0x39 && key.length <= 10 && /^(?:0|[1-9][0-9]*)$/.test(key);
}

/** Writes JSON as `JSON.stringify` does, with the keys in Go's order. It takes five times as long. */
function sortedJson(value: Json, indent: string, newline: string): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const isArray = isList(value), inner = newline + indent;
  const items = isArray
    ? value.map((item) => sortedJson(item, indent, inner))
    : sortedKeys(value).map((key) =>
      `${JSON.stringify(key)}:${indent === "" ? "" : " "}${sortedJson(value[key]!, indent, inner)}`
    );
  const [open, close] = isArray ? "[]" : "{}";
  if (items.length === 0) return `${open}${close}`;
  return indent === ""
    ? `${open}${items.join(",")}${close}`
    : `${open}${inner}${items.join(`,${inner}`)}${newline}${close}`;
}

/** Quotes a text as Go's package `time` does: everything but printable ASCII as `\\x` bytes. */
export function quoteAscii(text: string): string {
  let quoted = "";
  for (const byte of new TextEncoder().encode(text)) {
    const char = String.fromCharCode(byte);
    if (char === '"' || char === "\\") quoted += `\\${char}`;
    else quoted += byte < 0x20 || byte >= 0x80 ? `\\x${byte.toString(16).padStart(2, "0")}` : char;
  }
  return `"${quoted}"`;
}
