import {
  equal,
  formatPointer,
  isList,
  isObject,
  type Json,
  type JsonObject,
  sortedKeys,
} from "../json/mod.ts";
import type { Operation } from "./json_patch.ts";

/** Longest middle part of two lists that is aligned element by element; longer ones are compared by position. */
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
  for (const key of sortedKeys({ ...before, ...after })) {
    const place = [...path, key];
    if (!Object.hasOwn(after, key)) operations.push({ op: "remove", path: formatPointer(place) });
    else if (Object.hasOwn(before, key)) compare(before[key]!, after[key]!, { path: place, operations });
    else operations.push({ op: "add", path: formatPointer(place), value: after[key]! });
  }
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

/**
 * Which old element becomes which new one, both in ascending order. Equal elements are paired as far as possible;
 * between them, elements that are the same thing with another content (same name, or same shape) are paired in turn.
 */
function pairElements(old: readonly Json[], fresh: readonly Json[]): [from: number, to: number][] {
  const pairs: [number, number][] = [];
  let from = 0, to = 0;
  for (const [oldIndex, newIndex] of [...equalPairs(old, fresh), [old.length, fresh.length] as const]) {
    pairs.push(...pairRest(old, fresh, { from, fromEnd: oldIndex, to, toEnd: newIndex }));
    if (oldIndex < old.length) pairs.push([oldIndex, newIndex]);
    from = oldIndex + 1;
    to = newIndex + 1;
  }
  return pairs;
}

/** A longest common subsequence of the two lists, as pairs of indices. */
function equalPairs(old: readonly Json[], fresh: readonly Json[]): [number, number][] {
  if (old.length === 0 || fresh.length === 0) return [];
  if (old.length > LONGEST_ALIGNMENT || fresh.length > LONGEST_ALIGNMENT) return [];
  const width = fresh.length + 1;
  const same = new Uint8Array(old.length * fresh.length);
  const lengths = new Uint16Array((old.length + 1) * width);
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = fresh.length - 1; j >= 0; j--) {
      const isSame = equal(old[i]!, fresh[j]!);
      if (isSame) same[i * fresh.length + j] = 1;
      lengths[i * width + j] = isSame
        ? lengths[(i + 1) * width + j + 1]! + 1
        : Math.max(lengths[(i + 1) * width + j]!, lengths[i * width + j + 1]!);
    }
  }
  const pairs: [number, number][] = [];
  let i = 0, j = 0;
  while (i < old.length && j < fresh.length) {
    if (same[i * fresh.length + j] === 1) pairs.push([i++, j++]);
    else if (lengths[(i + 1) * width + j]! >= lengths[i * width + j + 1]!) i++;
    else j++;
  }
  return pairs;
}

interface Gap {
  readonly from: number;
  readonly fromEnd: number;
  readonly to: number;
  readonly toEnd: number;
}

/** Pairs unequal elements between two equal ones: by name where they have one, otherwise by position. */
function pairRest(old: readonly Json[], fresh: readonly Json[], gap: Gap): [number, number][] {
  const pairs: [number, number][] = [];
  let { from, to } = gap;
  while (from < gap.fromEnd && to < gap.toEnd) {
    const match = nextOf(fresh, { start: to, end: gap.toEnd, like: old[from]! });
    if (match === undefined) from++;
    else {
      pairs.push([from++, match]);
      to = match + 1;
    }
  }
  return pairs;
}

interface Search {
  readonly start: number;
  readonly end: number;
  readonly like: Json;
}

/** The first element that can be edited from the old one; a named element only into one of the same name. */
function nextOf(list: readonly Json[], { start, end, like }: Search): number | undefined {
  for (let index = start; index < Math.min(end, start + LONGEST_ALIGNMENT); index++) {
    if (editable(like, list[index]!)) return index;
  }
  return undefined;
}

function editable(old: Json, fresh: Json): boolean {
  if (isObject(old) && isObject(fresh)) {
    const name = Object.hasOwn(old, "name") ? old.name : undefined;
    return name === undefined || !Object.hasOwn(fresh, "name")
      ? !Object.hasOwn(fresh, "name")
      : name === fresh.name;
  }
  return !isObject(old) && !isObject(fresh) && isList(old) === isList(fresh);
}
