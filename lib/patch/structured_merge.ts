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
import type { MergeField, MergeType } from "./merge_keys.ts";

/**
 * Merges an apply configuration into an object as server-side apply does for a single manager: maps merge, lists with
 * keys merge by them, lists of scalars that are sets unite, all other lists are replaced. What both have keeps its
 * place; neither document is modified. Without a type every list is replaced.
 *
 * Source: sigs.k8s.io/structured-merge-diff. List elements get the same order as there.
 *
 * ```ts
 * import { mergeTypeOf } from "./merge_keys.ts";
 * import { structuredMerge } from "./structured_merge.ts";
 * import assert from "node:assert/strict";
 * const merged = structuredMerge(
 *   { spec: { containers: [{ name: "a", image: "x" }] } },
 *   { spec: { containers: [{ name: "a", tty: true }, { name: "b" }] } },
 *   mergeTypeOf("v1", "Pod"),
 * );
 * assert.deepEqual(merged, { spec: { containers: [{ name: "a", image: "x", tty: true }, { name: "b" }] } });
 * ```
 */
export function structuredMerge(
  object: JsonObject,
  patch: JsonObject,
  type: MergeType | undefined,
): JsonObject | Fault {
  return mergeMaps(object, patch, { fields: type?.fields, path: "" });
}

interface PointerParts {
  readonly fields: MergeType["fields"] | undefined;
  readonly path: string;
}

function mergeMaps(left: JsonObject, right: JsonObject, { fields, path }: PointerParts): JsonObject | Fault {
  const merged: { [name: string]: Json } = { ...left };
  let changed = false;
  for (const [name, value] of Object.entries(right)) {
    const leftValue = Object.hasOwn(left, name) ? left[name] : undefined;
    const result = mergeValues(leftValue, value, { field: fields?.get(name), path: `${path}.${name}` });
    if (isFault(result)) return result;
    if (result === leftValue) continue;
    setField(merged, name, result);
    changed = true;
  }
  return changed ? merged : left;
}

interface FieldPath {
  readonly field: MergeField | undefined;
  readonly path: string;
}

function mergeValues(left: Json | undefined, right: Json, { field, path }: FieldPath): Json | Fault {
  if (isList(right)) return mergeLists(isList(left) ? left : undefined, right, { field, path });
  if (isObject(right)) {
    const fields = field?.shape === "object" ? field.type?.fields : undefined;
    if (field?.shape === "map" && field.type !== undefined) {
      const entries = new Map(
        Object.keys(right).map((key) => [key, { shape: "object", keys: [], type: field.type }] as const),
      );
      return mergeMaps(isObject(left) ? left : {}, right, { fields: entries, path });
    }
    return isObject(left) ? mergeMaps(left, right, { fields, path }) : mergeMaps({}, right, { fields, path });
  }
  return left !== undefined && equal(left, right) ? left : right;
}

function mergeLists(
  left: readonly Json[] | undefined,
  right: readonly Json[],
  { field, path }: FieldPath,
): Json | Fault {
  if (field?.shape !== "list") return left !== undefined && equal(left, right) ? left : right;
  const { keys, type } = field;
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
  const merged: Json[] = [];
  const taken = new Set<string>();
  for (let l = 0, r = 0; l < left.length || r < right.length;) {
    if (l < left.length && taken.has(leftKeys[l]!)) l++;
    else if (l < left.length && r < right.length && leftKeys[l] === wanted[r]) {
      const element = unite(left[l++]!, right[r++]!);
      if (isFault(element)) return element;
      merged.push(element);
    } else if (l < left.length && !wanted.includes(leftKeys[l]!)) merged.push(left[l++]!);
    else {
      const same = leftKeys.indexOf(wanted[r]!);
      const element = same < 0 ? right[r]! : unite(left[same]!, right[r]!);
      if (isFault(element)) return element;
      merged.push(element);
      taken.add(wanted[r++]!);
    }
  }
  return equal(merged, left) ? left : merged;

  function unite(leftElement: Json, rightElement: Json): Json | Fault {
    return isObject(leftElement) && isObject(rightElement)
      ? mergeMaps(leftElement, rightElement, { fields: type?.fields, path })
      : rightElement;
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
