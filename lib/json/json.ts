/** Any JSON value. Numbers are doubles, as in JSON itself; whole numbers beyond 2^53 lose their last digits. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/** A JSON object. Read it with {@link field}, so that inherited names such as `toString` are never seen. */
export interface JsonObject {
  readonly [key: string]: Json;
}

/** Whether the value is a JSON object (not null, not a list). */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether the value is a JSON list. */
export function isList(value: unknown): value is readonly Json[] {
  return Array.isArray(value);
}

/** Whether the value is a string. */
export function isString(value: unknown): value is string {
  return typeof value === "string";
}

/**
 * Returns a field of an object; `undefined` when the value is no object or has no such field itself.
 *
 * ```ts
 * import { field } from "./json.ts";
 * import assert from "node:assert/strict";
 * assert.equal(field({ a: 1 }, "a"), 1);
 * assert.equal(field({ a: 1 }, "toString"), undefined);
 * assert.equal(field("text", "length"), undefined);
 * ```
 */
export function field(value: Json | undefined, name: string): Json | undefined {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** Whether every object inherits a property of this name. Any other field can be read directly, which is cheaper. */
export function isInherited(name: string): boolean {
  return name in Object.prototype;
}

/** Follows object fields from a value: `dig(pod, "metadata", "labels")`; `undefined` as soon as one is missing. */
export function dig(value: Json | undefined, ...names: string[]): Json | undefined {
  let current = value;
  for (const name of names) current = field(current, name);
  return current;
}

/** Returns the value when it is a string, otherwise `undefined`. */
export function asString(value: Json | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** Returns a field that is a text; the empty text when it is absent or no text. */
export function textField(value: Json | undefined, name: string): string {
  return asString(field(value, name)) ?? "";
}

/** Returns the value when it is a boolean, otherwise `undefined`. */
export function asBoolean(value: Json | undefined): boolean | undefined {
  return typeof value === "boolean" ? value : undefined;
}

/** Returns the value when it is an object, otherwise `undefined`. */
export function asObject(value: Json | undefined): JsonObject | undefined {
  return isObject(value) ? value : undefined;
}

/** Returns the value when it is a list, otherwise an empty list. */
export function asList(value: Json | undefined): readonly Json[] {
  return isList(value) ? value : [];
}

/** Returns the texts of a list, without its other elements; an empty list when the value is no list. */
export function asTexts(value: Json | undefined): string[] {
  return asList(value).filter(isString);
}

/**
 * Returns the entries of an object whose values are texts, without its other entries; an empty object when the
 * value is no object.
 */
export function asTextMap(value: Json | undefined): Record<string, string> {
  const entries = Object.entries(asObject(value) ?? {});
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => isString(entry[1])));
}

/** Whether a field has a value: Kubernetes reads null as an absent field. */
export function isGiven(value: Json | undefined): value is Exclude<Json, null> {
  return value !== undefined && value !== null;
}

/**
 * Sets a field of an object, even one named `__proto__`, for which a plain assignment would set the prototype. Use it
 * wherever the keys come from outside.
 */
export function setField(target: { [key: string]: Json }, name: string, value: Json): void {
  if (name === "__proto__") {
    Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
  } else target[name] = value;
}
