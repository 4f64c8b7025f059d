import { isList, isObject, type Json } from "./json.ts";

/** Deep equality of two JSON values; the order of object keys does not matter. */
export function equal(left: Json, right: Json): boolean {
  if (left === right) return true;
  if (isList(left)) {
    if (!isList(right) || left.length !== right.length) return false;
    for (let index = 0; index < left.length; index++) {
      if (!equal(left[index]!, right[index]!)) return false;
    }
    return true;
  }
  if (!isObject(left) || !isObject(right)) return false;
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  for (const key of keys) {
    if (!Object.hasOwn(right, key) || !equal(left[key]!, right[key]!)) return false;
  }
  return true;
}
