import { isObject, type Json } from "../json/mod.ts";
import { scalarText } from "./cell.ts";

/** Lists up to this length are searched element by element, longer ones by a table. */
const shortLength = 16;

/** Whether the list is searched by a table. */
export function isLong(list: readonly unknown[]): boolean {
  return list.length > shortLength;
}

/** Returns the text of an element's key; empty when the element has none. */
export function keyText(element: Json, key: string): string {
  if (!isObject(element) || !Object.hasOwn(element, key)) return "";
  const value = element[key]!;
  return typeof value === "string" ? value : value === null ? "" : scalarText(value);
}

/**
 * Returns the merge keys that two lists use: those that some element has. A single merge key is always in use.
 */
export function keysInUse(
  keys: readonly string[],
  list: readonly Json[],
  other: readonly Json[],
): readonly string[] {
  if (keys.length === 1) return keys;
  return keys.filter((key) => isInUse(key, list) || isInUse(key, other));
}

function isInUse(key: string, list: readonly Json[]): boolean {
  for (const element of list) if (keyText(element, key) !== "") return true;
  return false;
}

/**
 * Returns the identity of each element, made of its merge keys; `undefined` when an element lacks a key or is
 * no map.
 */
export function identities(list: readonly Json[], keys: readonly string[]): string[] | undefined {
  const found: string[] = [];
  for (const element of list) {
    let identity = "";
    for (const key of keys) {
      const text = keyText(element, key);
      if (text === "") return undefined;
      identity = keys.length === 1 ? text : `${identity}${text.length}:${text}`;
    }
    if (identity === "") return undefined;
    found.push(identity);
  }
  return found;
}

/** As {@link identities}, and `undefined` also when two elements have the same identity. */
export function distinctIdentities(list: readonly Json[], keys: readonly string[]): string[] | undefined {
  const found = identities(list, keys);
  return found === undefined || repeats(found) ? undefined : found;
}

/**
 * Whether all elements have the keys in use and no two have the same identity. A merge with an empty list then
 * changes nothing.
 */
export function isDistinct(list: readonly Json[], keys: readonly string[]): boolean {
  if (keys.length > 0) {
    if (list.length === 1) return keys.some((key) => keyText(list[0]!, key) !== "");
    return distinctIdentities(list, keysInUse(keys, list, [])) !== undefined;
  }
  return list.every(isScalar) && !repeats(list.map(scalarText));
}

function isScalar(value: Json): boolean {
  return value !== null && typeof value !== "object";
}

function repeats(texts: readonly string[]): boolean {
  if (isLong(texts)) return new Set(texts).size < texts.length;
  for (let index = 1; index < texts.length; index++) if (texts.indexOf(texts[index]!) < index) return true;
  return false;
}

/**
 * Returns a function that finds the position of a text in a list, -1 for none; `undefined` when two texts of
 * the list are the same.
 */
export function positionsOf(texts: readonly string[]): ((text: string) => number) | undefined {
  if (!isLong(texts)) return repeats(texts) ? undefined : (text) => texts.indexOf(text);
  const positions = new Map<string, number>();
  for (let index = 0; index < texts.length; index++) positions.set(texts[index]!, index);
  return positions.size < texts.length ? undefined : (text) => positions.get(text) ?? -1;
}
