import type { CelFault } from "../fault.ts";
import { Double, Uint } from "./numbers.ts";
import { CelObject } from "./object.ts";
import type { Duration, Timestamp } from "./time.ts";
import type { TypeValue } from "./type_value.ts";

/**
 * Any value of an expression. Every JSON value is a CEL value: whole numbers are ints, other numbers doubles, arrays
 * lists and objects maps. Nothing is converted before an expression uses it.
 *
 * Maps, optionals and opaque values contain values, so they are defined together in this file.
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

/** A map that comes from JSON: a plain object. {@link plainEntry} reads it without inherited names. */
export interface PlainMap {
  readonly [key: string]: Value;
}

/** A map that an expression makes. Maps that come from JSON stay plain objects. */
export class CelMap extends CelObject {
  readonly #entries = new Map<Slot, { readonly key: Value; readonly value: Value }>();

  get size(): number {
    return this.#entries.size;
  }

  /** The value of a key; `undefined` when the map has no such key. */
  get(key: Value): Value | undefined {
    const slot = slotOf(key);
    return slot === undefined ? undefined : this.#entries.get(slot)?.value;
  }

  has(key: Value): boolean {
    const slot = slotOf(key);
    return slot !== undefined && this.#entries.has(slot);
  }

  /**
   * Adds or replaces an entry while the map is being built; returns false for a key of a type that keys cannot have.
   */
  set(key: Value, value: Value): boolean {
    const slot = slotOf(key);
    if (slot === undefined) return false;
    this.#entries.set(slot, { key, value });
    return true;
  }

  /** Removes an entry while the map is being built. */
  delete(key: Value): void {
    const slot = slotOf(key);
    if (slot !== undefined) this.#entries.delete(slot);
  }

  *entries(): Generator<readonly [key: Value, value: Value]> {
    for (const { key, value } of this.#entries.values()) yield [key, value];
  }

  keys(): Value[] {
    return Array.from(this.#entries.values(), ({ key }) => key);
  }
}

/** CEL's optional: a value that may be absent. */
export class Optional extends CelObject {
  /** The value, or `undefined` when there is none. */
  readonly value: Value | undefined;

  private constructor(value: Value | undefined) {
    super();
    this.value = value;
  }

  /** The optional without a value. */
  static readonly none: Optional = new Optional(undefined);

  static of(value: Value): Optional {
    return new Optional(value);
  }

  /**
   * Flattens an optional inside an optional, as cel-go does when one passes through a variable, a path or a choice. An
   * empty inner optional becomes null.
   */
  static collapse(outer: Optional): Optional {
    let value = outer.value;
    if (!(value instanceof Optional)) return outer;
    while (value instanceof Optional) value = value.value ?? null;
    return new Optional(value);
  }
}

/**
 * A value of a type that a library declares: a quantity, an IP address, an authorizer. Expressions only pass it on;
 * the library's functions read it. Extend this class, with a `type` from `opaqueType("kubernetes.Quantity")`.
 */
export abstract class Opaque extends CelObject {
  /** The type of the value, a `CelType`. Values need only its name. */
  abstract readonly type: { readonly name: string };

  /** Whether `==` holds with another value of the same type. */
  abstract equals(other: Opaque): boolean;

  /** The value as JSON or text, when a result holds it. */
  abstract override toString(): string;

  /** The size of this value for costs. */
  get size(): number {
    return 1;
  }

  /** The value of a field (`value.field`); `undefined` when there is none. Few types have fields. */
  field(_name: string): Value | CelFault | undefined {
    return undefined;
  }
}

/** Whether the value is a list. */
export function isListValue(value: unknown): value is readonly Value[] {
  return Array.isArray(value);
}

/** Whether the value is a plain object, that is, a map that comes from JSON. */
export function isPlainMap(value: unknown): value is PlainMap {
  return typeof value === "object" && value !== null && !Array.isArray(value) &&
    !(value instanceof CelObject) && !(value instanceof Uint8Array);
}

/** An entry of a plain map, without inherited names; `undefined` when there is none. */
export function plainEntry(map: PlainMap, name: string): Value | undefined {
  return Object.hasOwn(map, name) ? map[name] : undefined;
}

/** The primitive for a key in a {@link CelMap}: equal numbers of different types share one. */
type Slot = string | boolean | number | bigint;

function slotOf(key: Value): Slot | undefined {
  switch (typeof key) {
    case "string":
    case "boolean":
    case "number":
    case "bigint":
      return key;
    default:
      if (key instanceof Uint) return shortest(key.value);
      if (key instanceof Double) return Number.isSafeInteger(key.value) ? key.value : BigInt(key.value);
      return undefined;
  }
}

function shortest(value: bigint): number | bigint {
  return value <= 9007199254740991n ? Number(value) : value;
}
