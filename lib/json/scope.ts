import { field, type Json } from "./json.ts";
import type { Fault } from "./fault.ts";

/**
 * The names that an expression can read at its root, such as `request` and `element`. A rule's context is a scope,
 * and so is any JSON object. Reading is synchronous: a context that must load a value first returns a {@link Fault}
 * and starts the load. When the value has arrived, the expression is evaluated again.
 */
export interface Scope {
  /** The value of a root name; `undefined` when there is no such name; a fault when the value cannot be loaded. */
  get(name: string): Json | Fault | undefined;
  /** Whether the name is declared, although it may have no value here; unknown when absent. */
  declares?(name: string): boolean;
  /** All root values as one object. `@` at the root of an expression means this. */
  all(): Json;
}

/** A scope that reads the fields of one JSON document. */
export function scopeOf(value: Json): Scope {
  return {
    get: (name) => field(value, name),
    all: () => value,
  };
}

/** A scope without names. */
export const emptyScope: Scope = scopeOf({});
