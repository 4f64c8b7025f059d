import {
  equal,
  Fault,
  isFault,
  isList,
  isObject,
  type Json,
  type JsonObject,
  setField,
} from "../json/mod.ts";
import type { ApplyType, StructType } from "./apply_types.ts";
import { copyOf } from "./draft.ts";

/**
 * Merges an apply configuration into an object as server-side apply does for a single manager: maps merge, lists with
 * keys merge by them, lists of scalars that are sets unite; all other lists, and atomic maps and structs, are replaced.
 * What both have keeps its place; neither document is modified. Without a type every list is replaced.
 *
 * Source: sigs.k8s.io/structured-merge-diff. List elements get the same order as there.
 *
 * ```ts
 * import { readApplyTypes } from "./apply_types.ts";
 * import { structuredMerge } from "./structured_merge.ts";
 * import assert from "node:assert/strict";
 * const merged = structuredMerge(
 *   { spec: { containers: [{ name: "a", image: "x" }] } },
 *   { spec: { containers: [{ name: "a", tty: true }, { name: "b" }] } },
 *   readApplyTypes()("v1", "Pod"),
 * );
 * assert.deepEqual(merged, { spec: { containers: [{ name: "a", image: "x", tty: true }, { name: "b" }] } });
 * ```
 */
export function structuredMerge(
  object: JsonObject,
  patch: JsonObject,
  type: StructType | undefined,
): JsonObject | Fault {
  return mergeMaps(object, patch, { type, path: "" });
}

interface TypedPath {
  readonly type: ApplyType | undefined;
  readonly path: string;
}

function mergeMaps(left: JsonObject, right: JsonObject, { type, path }: TypedPath): JsonObject | Fault {
  const merged = copyOf(left);
  let changed = false;
  for (const [name, value] of Object.entries(right)) {
    const leftValue = Object.hasOwn(left, name) ? left[name] : undefined;
    const result = mergeValues(leftValue, value, { type: typeAt(type, name), path: `${path}.${name}` });
    if (isFault(result)) return result;
    if (result === leftValue) continue;
    setField(merged, name, result);
    changed = true;
  }
  return changed ? merged : left;
}

function typeAt(type: ApplyType | undefined, name: string): ApplyType | undefined {
  if (type?.shape === "map") return type.values;
  return type?.shape === "struct" ? type.fields.get(name) : undefined;
}

function mergeValues(left: Json | undefined, right: Json, { type, path }: TypedPath): Json | Fault {
  if (isList(right)) return mergeLists(left, right, { type, path });
  if (!isObject(right)) return replaced(left, right);
  const isAtomic = type?.shape === "struct" && type.isAtomic;
  // Merging into nothing searches an atomic value for elements that it names twice.
  const merged = mergeMaps(isObject(left) && !isAtomic ? left : {}, right, { type, path });
  return isFault(merged) || !isAtomic ? merged : replaced(left, right);
}

/** The right value, or the left one when it is equal. */
function replaced(left: Json | undefined, right: Json): Json {
  return left !== undefined && equal(left, right) ? left : right;
}

function mergeLists(
  before: Json | undefined,
  right: readonly Json[],
  { type, path }: TypedPath,
): Json | Fault {
  const left = isList(before) ? before : undefined;
  if (type?.shape !== "list" || type.keys === undefined) return replaced(left, right);
  const { keys, elements } = type;
  const identity = keys.length === 0 ? scalarKey : elementKey(keys);
  const wanted = right.map(identity);
  const repeated = wanted.find((key, index) => wanted.indexOf(key) !== index);
  if (repeated !== undefined) {
    return new Fault(
      `failed to convert patch object to typed object: ${path}: duplicate entries for key [${repeated}]`,
    );
  }
  if (left === undefined) return right;
  const leftKeys = left.map(identity);
  // An element of the patch replaces all that have its key: it merges with one alone. So it is in Kyverno.
  const seen = new Set<string>();
  const several = new Set(leftKeys.filter((key) => seen.size === seen.add(key).size));
  const merged: Json[] = [];
  const taken = new Set<string>();
  for (let l = 0, r = 0; l < left.length || r < right.length;) {
    if (l < left.length && taken.has(leftKeys[l]!)) l++;
    else if (l < left.length && r < right.length && leftKeys[l] === wanted[r]) {
      const element = several.has(wanted[r]!) ? right[r]! : unite(left[l]!, right[r]!);
      if (isFault(element)) return element;
      merged.push(element);
      taken.add(wanted[r++]!);
      l++;
    } else if (l < left.length && !wanted.includes(leftKeys[l]!)) merged.push(left[l++]!);
    else {
      const same = leftKeys.indexOf(wanted[r]!);
      const element = same < 0 || several.has(wanted[r]!) ? right[r]! : unite(left[same]!, right[r]!);
      if (isFault(element)) return element;
      merged.push(element);
      taken.add(wanted[r++]!);
    }
  }
  return equal(merged, left) ? left : merged;

  function unite(leftElement: Json, rightElement: Json): Json | Fault {
    return mergeValues(leftElement, rightElement, { type: elements, path });
  }
}

function scalarKey(element: Json): string {
  return JSON.stringify(element);
}

/** The values that the API server fills in for absent keys. */
const defaults: Readonly<Record<string, string>> = { protocol: "TCP" };

function elementKey(keys: readonly string[]): (element: Json) => string {
  return (element) =>
    keys.map((key) => {
      const value = isObject(element) && Object.hasOwn(element, key) ? element[key] : defaults[key] ?? null;
      return `${key}=${JSON.stringify(value)}`;
    }).join(",");
}
