import type { CelMap } from "./map.ts";
import type { Double, Uint } from "./numbers.ts";
import { CelObject } from "./object.ts";
import type { Opaque } from "./opaque.ts";
import type { Optional } from "./optional.ts";
import type { Duration, Timestamp } from "./time.ts";
import type { TypeValue } from "./type_value.ts";

/**
 * Any value that an expression can have. Every JSON value is one as it stands: whole numbers are ints, others doubles,
 * lists and objects are lists and maps, and nothing is converted before it is used.
 */
export type Value =
  | null
  | boolean
  | string
  | number
  | bigint
  | Double
  | Uint
  | Uint8Array
  | Timestamp
  | Duration
  | Optional
  | TypeValue
  | CelMap
  | Opaque
  | readonly Value[]
  | PlainMap;

/** A map as JSON has it: a plain object. Read it with {@link own}, so that inherited names are never seen. */
export interface PlainMap {
  readonly [key: string]: Value;
}

/** Whether the value is a list. */
export function isListValue(value: unknown): value is readonly Value[] {
  return Array.isArray(value);
}

/** Whether the value is a map that JSON brought: a plain object. */
export function isPlainMap(value: unknown): value is PlainMap {
  return typeof value === "object" && value !== null && !Array.isArray(value) &&
    !(value instanceof CelObject) && !(value instanceof Uint8Array);
}

/** An own entry of a plain map, or `undefined`. */
export function own(map: PlainMap, name: string): Value | undefined {
  return Object.hasOwn(map, name) ? map[name] : undefined;
}
