import { isObject, type Json, type JsonObject, setField } from "../json/mod.ts";

/**
 * Applies a JSON merge patch (RFC 7386): objects merge, `null` removes, everything else replaces.
 *
 * ```ts
 * import { mergePatched } from "./merge.ts";
 * import assert from "node:assert/strict";
 * assert.deepEqual(mergePatched({ a: 1, b: { c: 2 } }, { a: null, b: { d: 3 } }), { b: { c: 2, d: 3 } });
 * ```
 */
export function mergePatched(target: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const merged: { [name: string]: Json } = isObject(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete merged[name];
    else setField(merged, name, mergePatched(Object.hasOwn(merged, name) ? merged[name] : undefined, value));
  }
  return merged;
}

/** The object with a value at a path. Missing objects on the way are created. */
export function withValue(object: JsonObject, path: readonly string[], value: Json): JsonObject {
  const [name, ...rest] = path;
  if (name === undefined) return isObject(value) ? value : object;
  const copy: { [name: string]: Json } = { ...object };
  const inner = Object.hasOwn(copy, name) ? copy[name] : undefined;
  setField(copy, name, rest.length === 0 ? value : withValue(isObject(inner) ? inner : {}, rest, value));
  return copy;
}

/** The object without the value at a path, and without objects on the way that become empty. */
export function withoutValue(object: JsonObject, path: readonly string[]): JsonObject {
  const [name, ...rest] = path;
  if (name === undefined || !Object.hasOwn(object, name)) return object;
  const copy: { [name: string]: Json } = { ...object };
  const inner = copy[name];
  if (rest.length > 0 && isObject(inner)) {
    const left = withoutValue(inner, rest);
    if (Object.keys(left).length > 0) {
      setField(copy, name, left);
      return copy;
    }
  }
  if (rest.length === 0 || isObject(inner)) delete copy[name];
  return copy;
}
