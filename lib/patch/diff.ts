import {
  compareBytes,
  equal,
  formatPointer,
  isList,
  isObject,
  type Json,
  type JsonObject,
} from "../json/mod.ts";
import type { Operation } from "./json_patch.ts";

/** Longest middle part of two lists for which the best alignment is sought; longer ones are compared by position. */
const LONGEST_ALIGNMENT = 400;

/**
 * The JSON patch that turns one document into another: applying it gives exactly `changed`.
 *
 * Only add, remove and replace are used, in canonical order: object keys by their bytes, a key's own operations
 * together; in a list, changes and removals from the end so that indices stay true, then additions from the start.
 * Subtrees that are the same object are not looked into.
 *
 * ```ts
 * import { diff } from "./diff.ts";
 * import assert from "node:assert/strict";
 * assert.deepEqual(diff({ a: [1, 2, 3] }, { a: [2, 3] }), [{ op: "remove", path: "/a/0" }]);
 * ```
 */
export function diff(original: Json, changed: Json): Operation[] {
  const operations: Operation[] = [];
  compare(original, changed, { path: [], operations });
  return operations;
}

interface Walk {
  readonly path: readonly (string | number)[];
  readonly operations: Operation[];
}

function compare(before: Json, after: Json, walk: Walk): void {
  if (before === after) return;
  if (isObject(before) && isObject(after)) compareObjects(before, after, walk);
  else if (isList(before) && isList(after)) compareLists(before, after, walk);
  else if (!equal(before, after)) {
    walk.operations.push({ op: "replace", path: formatPointer(walk.path), value: after });
  }
}

function compareObjects(before: JsonObject, after: JsonObject, { path, operations }: Walk): void {
  for (const key of differingKeys(before, after)) {
    const place = [...path, key];
    if (!Object.hasOwn(after, key)) operations.push({ op: "remove", path: formatPointer(place) });
    else if (Object.hasOwn(before, key)) compare(before[key]!, after[key]!, { path: place, operations });
    else operations.push({ op: "add", path: formatPointer(place), value: after[key]! });
  }
}

/** The keys whose values may differ, in the order of their bytes. Most are the same, and need no order. */
function differingKeys(before: JsonObject, after: JsonObject): string[] {
  const keys = Object.keys(after).filter((key) => !Object.hasOwn(before, key) || before[key] !== after[key]);
  for (const key of Object.keys(before)) if (!Object.hasOwn(after, key)) keys.push(key);
  return keys.sort(compareBytes);
}

function compareLists(before: readonly Json[], after: readonly Json[], { path, operations }: Walk): void {
  let start = 0;
  const shorter = Math.min(before.length, after.length);
  while (start < shorter && equal(before[start]!, after[start]!)) start++;
  let end = 0;
  while (end < shorter - start && equal(before[before.length - 1 - end]!, after[after.length - 1 - end]!)) {
    end++;
  }
  const old = before.slice(start, before.length - end), fresh = after.slice(start, after.length - end);
  const pairs = pairElements(old, fresh);

  const kept = new Set(pairs.map(([from]) => from));
  for (let index = old.length - 1; index >= 0; index--) {
    if (!kept.has(index)) operations.push({ op: "remove", path: formatPointer([...path, start + index]) });
  }
  const partners = new Map(pairs.map(([from, to]) => [to, old[from]!]));
  fresh.forEach((value, index) => {
    const place = [...path, start + index];
    const partner = partners.get(index);
    if (partner === undefined) operations.push({ op: "add", path: formatPointer(place), value });
    else compare(partner, value, { path: place, operations });
  });
}

/** Which old element becomes which new one, both in ascending order, so that the fewest elements are touched. */
function pairElements(old: readonly Json[], fresh: readonly Json[]): [from: number, to: number][] {
  if (old.length > LONGEST_ALIGNMENT || fresh.length > LONGEST_ALIGNMENT) return pairByPosition(old, fresh);
  const width = fresh.length + 1;
  const cost = editCosts(old, fresh);
  const pairs: [number, number][] = [];
  let i = 0, j = 0;
  while (i < old.length && j < fresh.length) {
    const at = i * width + j;
    const edited = cost[at + width + 1]! + 1 === cost[at] && editable(old[i]!, fresh[j]!);
    if (edited || equal(old[i]!, fresh[j]!)) pairs.push([i++, j++]);
    else if (cost[at + width]! + 1 === cost[at]) i++;
    else j++;
  }
  return pairs;
}

/**
 * The least number of elements to edit, remove and add from each pair of positions on. An edit counts one however
 * large it is; elements that are equal cost nothing.
 */
function editCosts(old: readonly Json[], fresh: readonly Json[]): Uint16Array {
  const width = fresh.length + 1;
  const cost = new Uint16Array((old.length + 1) * width);
  for (let i = old.length; i >= 0; i--) {
    for (let j = fresh.length; j >= 0; j--) {
      const at = i * width + j;
      if (i === old.length || j === fresh.length) {
        cost[at] = old.length - i + fresh.length - j;
        continue;
      }
      const below = cost[at + width]!, right = cost[at + 1]!, diagonal = cost[at + width + 1]!;
      if (equal(old[i]!, fresh[j]!)) cost[at] = diagonal;
      else cost[at] = 1 + Math.min(below, right, editable(old[i]!, fresh[j]!) ? diagonal : below);
    }
  }
  return cost;
}

function pairByPosition(old: readonly Json[], fresh: readonly Json[]): [number, number][] {
  const pairs: [number, number][] = [];
  for (let index = 0; index < Math.min(old.length, fresh.length); index++) {
    if (editable(old[index]!, fresh[index]!)) pairs.push([index, index]);
  }
  return pairs;
}

/** Whether an element can become another by an edit; a named one only another of the same name. */
function editable(old: Json, fresh: Json): boolean {
  if (isObject(old) && isObject(fresh)) {
    const name = Object.hasOwn(old, "name") ? old.name : undefined;
    return name === undefined || !Object.hasOwn(fresh, "name")
      ? !Object.hasOwn(fresh, "name")
      : name === fresh.name;
  }
  return !isObject(old) && !isObject(fresh) && isList(old) === isList(fresh);
}
