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
 * Neither document is modified. Without a type every list is replaced.
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

function mergeLists(left: Json | undefined, right: readonly Json[], { type, path }: TypedPath): Json | Fault {
  const before = isList(left) ? left : undefined;
  if (type?.shape !== "list" || type.keys === undefined) return replaced(before, right);
  const identity = type.keys.length === 0 ? scalarKey : elementKey(type.keys);
  const patch = { elements: right, identities: right.map(identity) };
  const repeated = firstRepeated(patch.identities);
  if (repeated !== undefined) {
    return new Fault(
      `failed to convert patch object to typed object: ${path}: duplicate entries for key [${repeated}]`,
    );
  }
  if (before === undefined) return right;
  const { elements } = type;
  const merged = mergeIdentified(
    { elements: before, identities: before.map(identity) },
    patch,
    (left, right) => mergeValues(left, right, { type: elements, path }),
  );
  return isFault(merged) || !equal(merged, before) ? merged : before;
}

function firstRepeated(texts: readonly string[]): string | undefined {
  const seen = new Set<string>();
  return texts.find((text) => seen.size === seen.add(text).size);
}

/** A list, and the identity of each element: two elements with the same one are merged. */
interface IdentifiedList {
  readonly elements: readonly Json[];
  readonly identities: readonly string[];
}

/**
 * Merges two lists. The patch's elements keep their order. An element that only the object has stays behind those that
 * precede it in the object.
 */
function mergeIdentified(
  object: IdentifiedList,
  patch: IdentifiedList,
  mergeElements: (left: Json, right: Json) => Json | Fault,
): readonly Json[] | Fault {
  // An element of the patch replaces all that have its identity: it merges with one alone. So it is in Kyverno.
  const counterparts = new Map<string, Json | undefined>();
  object.identities.forEach((identity, index) =>
    counterparts.set(identity, counterparts.has(identity) ? undefined : object.elements[index])
  );
  const inPatch = new Set(patch.identities), merged: Json[] = [], done = new Set<string>();
  for (let left = 0, right = 0; left < object.elements.length || right < patch.elements.length;) {
    const identity = object.identities[left];
    if (identity !== undefined && done.has(identity)) left++;
    else if (identity !== undefined && !inPatch.has(identity)) merged.push(object.elements[left++]!);
    else {
      const wanted = patch.identities[right]!, counterpart = counterparts.get(wanted);
      const element = patch.elements[right++]!;
      const value = counterpart === undefined ? element : mergeElements(counterpart, element);
      if (isFault(value)) return value;
      merged.push(value);
      done.add(wanted);
    }
  }
  return merged;
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
