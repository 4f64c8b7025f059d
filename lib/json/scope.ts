import { isObject, type Json } from "./json.ts";
import type { Fault } from "./fault.ts";

/**
 * The names that an expression sees at its root. The request context is one; so is any JSON object.
 * Reading is synchronous: a context that must first fetch a value answers with a {@link Fault}, remembers the name, and
 * its owner evaluates again once the value is there.
 */
export interface Scope {
  /** The value of a root name; `undefined` when there is no such name; a fault when it could not be had. */
  get(name: string): Json | Fault | undefined;
  /** All root values as one object: what `@` means at the root. */
  all(): Json;
}

/** A scope over a plain value, for expressions that are applied to one JSON document. */
export function scopeOf(value: Json): Scope {
  return {
    get: (name) => isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined,
    all: () => value,
  };
}
