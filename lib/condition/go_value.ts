import { goFloat, isList, isObject, type Json, sortedKeys } from "../json/mod.ts";

/** The deepest nesting: deeper values are cut off when printed and unequal when compared. */
const maxDepth = 200;

/**
 * Whether a number is an int64 in Kyverno. Kyverno parity: a whole number in a list or map of the policy is an int64;
 * numbers of the context, and numbers outside lists and maps, are float64 and print as `1e+06`. Pinned by "a list of
 * variables and numbers keeps the policy's numbers apart from the request's".
 *
 * @param source what the policy has at the number's path
 */
function isInteger(value: number, source: Json | undefined): boolean {
  return typeof source === "number" && Number.isInteger(value) && Math.abs(value) < 2 ** 63;
}

/**
 * A value as Go prints it with `%v`: `1e+06`, `true`, `map[a:1]`, `[x y]`, `<nil>`.
 *
 * @param source what the policy has at the value's path; `undefined` for values of the context
 *
 * ```ts
 * import { goText } from "./go_value.ts";
 * import assert from "node:assert/strict";
 * assert.equal(goText(1000000, 1000000), "1000000");
 * assert.equal(goText(1000000, "{{ n }}"), "1e+06");
 * ```
 */
export function goText(value: Json, source: Json | undefined, depth = 0): string {
  if (typeof value === "string") return value;
  if (value === null) return "<nil>";
  if (typeof value === "number") return isInteger(value, source) ? String(value) : goFloat(value);
  if (typeof value === "boolean") return String(value);
  if (depth === maxDepth) return "…";
  if (isList(value)) {
    return `[${value.map((item, index) => goText(item, itemOf(source, index), depth + 1)).join(" ")}]`;
  }
  const fields = sortedKeys(value).map((key) =>
    `${key}:${goText(value[key]!, fieldOf(source, key), depth + 1)}`
  );
  return `map[${fields.join(" ")}]`;
}

/** A value together with the policy's value at the same path. */
export interface Sourced {
  readonly value: Json;
  readonly source: Json | undefined;
}

/**
 * Go's `reflect.DeepEqual` on JSON values. Kyverno parity: an integer of the policy and a number of the context are
 * never equal inside lists and maps. Pinned by tests/condition/operators_test.ts.
 */
export function goEqual(left: Sourced, right: Sourced, depth = 0): boolean {
  const a = left.value, b = right.value;
  if (typeof a === "number") return a === b && isInteger(a, left.source) === isInteger(a, right.source);
  if (typeof a !== "object" || a === null) return a === b;
  if (depth === maxDepth) return false;
  if (isList(a)) {
    if (!isList(b) || a.length !== b.length) return false;
    return a.every((item, index) =>
      goEqual(
        { value: item, source: itemOf(left.source, index) },
        { value: b[index]!, source: itemOf(right.source, index) },
        depth + 1,
      )
    );
  }
  if (!isObject(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) =>
    Object.hasOwn(b, key) &&
    goEqual(
      { value: a[key]!, source: fieldOf(left.source, key) },
      { value: b[key]!, source: fieldOf(right.source, key) },
      depth + 1,
    )
  );
}

/** The element that the policy has at an index, if `source` is a list. */
export function itemOf(source: Json | undefined, index: number): Json | undefined {
  return isList(source) ? source[index] : undefined;
}

function fieldOf(source: Json | undefined, key: string): Json | undefined {
  return isObject(source) && Object.hasOwn(source, key) ? source[key] : undefined;
}
