import { countCharacters } from "../../json/mod.ts";
import { isCelFault } from "../fault.ts";
import { work } from "../work.ts";
import { Double, isInt, Uint } from "./numbers.ts";
import { Duration, Timestamp } from "./time.ts";
import { TypeValue } from "./type_value.ts";
import { CelMap, isListValue, isPlainMap, Opaque, Optional, type PlainMap, type Value } from "./value.ts";

/** The name of a value's type, without parameters, as `type(x)` returns it. */
export function typeNameOf(value: Value): string {
  switch (typeof value) {
    case "string":
      return "string";
    case "boolean":
      return "bool";
    case "bigint":
      return "int";
    case "number":
      return isInt(value) ? "int" : "double";
  }
  if (value === null) return "null_type";
  if (Array.isArray(value)) return "list";
  if (value instanceof Double) return "double";
  if (value instanceof Uint) return "uint";
  if (value instanceof Uint8Array) return "bytes";
  if (value instanceof Timestamp) return "google.protobuf.Timestamp";
  if (value instanceof Duration) return "google.protobuf.Duration";
  if (value instanceof TypeValue) return "type";
  if (value instanceof Optional) return "optional_type";
  if (value instanceof Opaque) return value.type.name;
  return "map";
}

/** Whether the value is a map, made by an expression or from JSON. */
export function isMapValue(value: unknown): value is CelMap | PlainMap {
  return value instanceof CelMap || isPlainMap(value);
}

/** The number of entries of a map. */
export function mapSize(map: CelMap | PlainMap): number {
  return map instanceof CelMap ? map.size : namesOf(map).length;
}

/** The names of an object's fields. Even to count them, all are read. */
function namesOf(map: PlainMap): readonly string[] {
  const names = Object.keys(map);
  if (names.length > short) work(400 * names.length);
  return names;
}

/** The keys of a map, in the order in which they were written. */
export function mapKeys(map: CelMap | PlainMap): readonly Value[] {
  return map instanceof CelMap ? map.keys() : namesOf(map);
}

/** The value of a key, or `undefined`. A plain map has only string keys. */
export function mapGet(map: CelMap | PlainMap, key: Value): Value | undefined {
  if (map instanceof CelMap) return map.get(key);
  return typeof key === "string" && Object.hasOwn(map, key) ? map[key] : undefined;
}

/** The entries of a map, in the order in which they were written. */
export function* mapEntries(map: CelMap | PlainMap): Generator<readonly [key: Value, value: Value]> {
  if (map instanceof CelMap) yield* map.entries();
  else for (const key of namesOf(map)) yield [key, map[key]!];
}

/** Reading so many characters or fields takes less than counting the work. */
const short = 100;

/** The number of Unicode code points of a text, which is CEL's size of a string. */
export function codePoints(text: string): number {
  if (text.length > short) work(4 * text.length);
  return countCharacters(text);
}

/**
 * The size of a value for costs: code points, bytes, elements or entries; 1 for everything else, errors included.
 */
export function costSize(value: unknown): number {
  if (typeof value === "string") return codePoints(value);
  if (typeof value !== "object" || value === null) return 1;
  if (Array.isArray(value) || value instanceof Uint8Array) return value.length;
  if (value instanceof Optional) return value.value === undefined ? 1 : costSize(value.value);
  if (value instanceof Opaque) return value.size;
  return isMapValue(value) && !isCelFault(value) ? mapSize(value) : 1;
}

/**
 * The cost of traversing a value in Kubernetes: a tenth of the bytes of texts, 1 for every other leaf.
 */
export function traversalCost(value: unknown): number {
  work(80);
  if (typeof value === "string") return Math.floor(byteLength(value) * 0.1);
  if (value instanceof Uint8Array) return Math.floor(value.length * 0.1);
  if (isListValue(value)) return value.reduce<number>((sum, item) => sum + traversalCost(item), 0);
  if (isCelFault(value) || !isMapValue(value)) return 1;
  work(300);
  let sum = 0;
  for (const [key, item] of mapEntries(value)) sum += traversalCost(key) + traversalCost(item);
  return sum;
}

function byteLength(text: string): number {
  let bytes = text.length;
  if (bytes > short) work(3 * bytes);
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    // A surrogate pair is four bytes, two for each half.
    if (unit >= 0x80) bytes += unit >= 0x800 && (unit < 0xd800 || unit > 0xdfff) ? 2 : 1;
  }
  return bytes;
}
