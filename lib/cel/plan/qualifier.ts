import { CelFault, failure, noSuchOverload } from "../fault.ts";
import type { Result } from "../libraries/library.ts";
import {
  CelMap,
  CelObject,
  Double,
  floatValue,
  fromJsonNumber,
  isFloat,
  Opaque,
  typeNameOf,
  Uint,
  type Value,
} from "../values/mod.ts";
import { unescapedName } from "./escaped_name.ts";

/**
 * Names that every object inherits. Fields of any other name can be read without `hasOwn`. tests/bench/cel_bench.ts,
 * "has and compare": with `hasOwn` it takes 7 % more.
 */
const inherited = new Set(Object.getOwnPropertyNames(Object.prototype));

/** Returns a reader for a field with a constant name. It returns `undefined` when there is no such field. */
export function fieldReader(name: string): (value: Value) => Result | undefined {
  const read = keyReader(name);
  const plain = unescapedName(name);
  if (plain === undefined) return read;
  // A property that no expression can name is written escaped; a property with the escaped name comes first.
  const readPlain = keyReader(plain);
  return (value) => {
    const found = read(value);
    return found === undefined ? readPlain(value) : found;
  };
}

/** Returns a reader for the entry of a constant text key. It returns `undefined` when there is no such entry. */
export function keyReader(key: string): (value: Value) => Result | undefined {
  const safe = !inherited.has(key);
  return (value) => {
    if (typeof value !== "object" || value === null) return undefined;
    if (Array.isArray(value)) return failure(`unsupported index type 'string' in list`);
    if (value instanceof CelObject) {
      if (value instanceof CelMap) return value.get(key);
      return value instanceof Opaque ? value.field(key) : undefined;
    }
    if (value instanceof Uint8Array) return undefined;
    const map = value as { readonly [key: string]: Value };
    if (!safe && !Object.hasOwn(map, key)) return undefined;
    const found = map[key];
    return typeof found === "number" ? fromJsonNumber(found) : found;
  };
}

/** Whether a value can be the key of an entry or the index of an element. */
function isKey(value: Value): boolean {
  return typeof value !== "object" || value instanceof Uint || value instanceof Double;
}

/** Reads the element or entry of any key. `undefined` when there is none. */
export function readElement(value: Value, key: Value): Result | undefined {
  if (!isKey(key)) return failure(`invalid qualifier type: ${typeNameOf(key)}`);
  if (Array.isArray(value)) return listElement(value, key);
  if (value instanceof CelMap) return value.get(key);
  return typeof key === "string" ? keyReader(key)(value) : undefined;
}

function listElement(list: readonly Value[], key: Value): Result | undefined {
  let index: number | bigint;
  if (typeof key === "number" && Number.isInteger(key)) index = key;
  else if (typeof key === "bigint") index = key;
  else if (key instanceof Uint) index = key.value;
  else if (isFloat(key)) {
    index = floatValue(key);
    if (!Number.isInteger(index)) return failure(`unsupported index value ${index} in list`);
  } else return failure(`unsupported index type '${typeNameOf(key)}' in list`);
  const element = list[Number(index)];
  return typeof element === "number" ? fromJsonNumber(element) : element;
}

/** The error of a missing field, key or index. */
export function missing(value: Value, key: Value): CelFault {
  const text = key instanceof CelObject ? String(numberInside(key)) : String(key);
  return Array.isArray(value)
    ? new CelFault("index", `index out of bounds: ${text}`)
    : new CelFault("no_such_key", `no such key: ${text}`);
}

function numberInside(key: CelObject): unknown {
  return "value" in key ? key.value : noSuchOverload();
}
