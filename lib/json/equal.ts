import { isList, isObject, type Json } from "./json.ts";

/** How many elements and fields comparisons may still visit. */
export interface Visits {
  left: number;
}

/**
 * Deep equality of two JSON values; the order of object keys does not matter. When the visits are used up, the result
 * is false.
 */
export function equal(left: Json, right: Json, visits?: Visits): boolean {
  if (left === right) return true;
  if (isList(left)) {
    if (!isList(right) || left.length !== right.length || !hasLeft(left.length, visits)) return false;
    for (let index = 0; index < left.length; index++) {
      if (!equal(left[index]!, right[index]!, visits)) return false;
    }
    return true;
  }
  if (!isObject(left) || !isObject(right)) return false;
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length || !hasLeft(keys.length, visits)) return false;
  for (const key of keys) {
    if (!Object.hasOwn(right, key) || !equal(left[key]!, right[key]!, visits)) return false;
  }
  return true;
}

function hasLeft(count: number, visits: Visits | undefined): boolean {
  return visits === undefined || (visits.left -= count) >= 0;
}
