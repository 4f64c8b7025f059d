import { CelObject } from "./object.ts";
import { Double, Uint } from "./numbers.ts";
import type { Value } from "./value.ts";

/** What a key is stored under: numbers of all kinds that are equal share one. */
type Slot = string | boolean | number | bigint;

/** A map made by an expression. Maps that come from JSON stay plain objects. */
export class CelMap extends CelObject {
  readonly #entries = new Map<Slot, { readonly key: Value; readonly value: Value }>();

  get size(): number {
    return this.#entries.size;
  }

  /** The value of a key; `undefined` when there is none, also for keys that no map can have. */
  get(key: Value): Value | undefined {
    const slot = slotOf(key);
    return slot === undefined ? undefined : this.#entries.get(slot)?.value;
  }

  has(key: Value): boolean {
    const slot = slotOf(key);
    return slot !== undefined && this.#entries.has(slot);
  }

  /** Adds or replaces an entry while the map is being built; answers false for keys that no map can have. */
  set(key: Value, value: Value): boolean {
    const slot = slotOf(key);
    if (slot === undefined) return false;
    this.#entries.set(slot, { key, value });
    return true;
  }

  /** Takes an entry out while the map is being built. */
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
