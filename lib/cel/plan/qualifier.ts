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

/** Names that every object inherits: for all others, a plain read is as good as asking for an own field. */
const inherited = new Set(Object.getOwnPropertyNames(Object.prototype));

/** Reads a field by a name that is known at load. `undefined` when there is none. */
export function fieldReader(name: string): (value: Value) => Result | undefined {
  const safe = !inherited.has(name);
  return (value) => {
    if (typeof value !== "object" || value === null) return undefined;
    if (Array.isArray(value)) return failure(`unsupported index type 'string' in list`);
    if (value instanceof CelObject) {
      if (value instanceof CelMap) return value.get(name);
      return value instanceof Opaque ? value.field(name) : undefined;
    }
    if (value instanceof Uint8Array) return undefined;
    const map = value as { readonly [key: string]: Value };
    if (!safe && !Object.hasOwn(map, name)) return undefined;
    const found = map[name];
    return typeof found === "number" ? fromJsonNumber(found) : found;
  };
}

/** Reads the element or entry of any key. `undefined` when there is none. */
export function readElement(value: Value, key: Value): Result | undefined {
  if (Array.isArray(value)) return listElement(value, key);
  if (typeof key === "object" && !(key instanceof Uint || key instanceof Double)) {
    return failure(`invalid qualifier type: ${typeNameOf(key)}`);
  }
  if (value instanceof CelMap) return value.get(key);
  return typeof key === "string" ? fieldReader(key)(value) : undefined;
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

/** The error of a field, key or index that is not there. */
export function missing(value: Value, key: Value): CelFault {
  const text = key instanceof CelObject ? String(numberInside(key)) : String(key);
  return Array.isArray(value)
    ? new CelFault("index", `index out of bounds: ${text}`)
    : new CelFault("no_such_key", `no such key: ${text}`);
}

function numberInside(key: CelObject): unknown {
  return "value" in key ? key.value : noSuchOverload();
}
