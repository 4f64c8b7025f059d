import { compareBytes, equal, isList, isObject, type Json, type JsonObject } from "../json/mod.ts";
import type { PatchOperation } from "./json_patch.ts";
import { Pointer } from "./pointer.ts";

/** Longest middle part of two lists for which the best alignment is sought; longer ones are compared by position. */
const LONGEST_ALIGNMENT = 400;

/**
 * The most changes inside one list or object that become operations of their own; above that the whole list or object
 * is replaced. 170,000 operations for the containers of one Pod are an answer of 20 MB where the Pod has 3.
 */
const MOST_OPERATIONS = 2_000;

/**
 * The JSON patch that turns one document into another: applying it gives exactly `changed`.
 *
 * Only add, remove and replace are used, in canonical order: object keys by their bytes, a key's own operations
 * together; in a list, changes and removals from the end so that indices stay true, then additions from the start.
 * Subtrees that are the same object are not looked into, and what would take thousands of operations is replaced.
 *
 * ```ts
 * import { diff } from "./diff.ts";
 * import assert from "node:assert/strict";
 * assert.deepEqual(diff({ a: [1, 2, 3] }, { a: [2, 3] }), [{ op: "remove", path: "/a/0" }]);
 * ```
 */
export function diff(original: Json, changed: Json): PatchOperation[] {
  const comparison = new Comparison();
  comparison.values(original, changed, Pointer.root);
  return comparison.operations;
}

/**
 * Collects the differences of two documents. Each method compares the values at one pointer, and ends early with more
 * operations than the pointer's limit: the whole value is replaced then.
 */
class Comparison {
  readonly operations: PatchOperation[] = [];

  values(before: Json, after: Json, pointer: Pointer): void {
    if (before === after) return;
    const start = this.operations.length;
    const at = { pointer, limit: pointer === Pointer.root ? Infinity : start + MOST_OPERATIONS };
    if (isObject(before) && isObject(after)) this.#objects(before, after, at);
    else if (isList(before) && isList(after)) this.#lists(before, after, at);
    else this.operations.push({ op: "replace", path: pointer.text, value: after });
    if (this.operations.length <= at.limit) return;
    this.operations.length = start;
    this.operations.push({ op: "replace", path: pointer.text, value: after });
  }

  #objects(before: JsonObject, after: JsonObject, at: Limited): void {
    const keys = differingKeys(before, after), start = this.operations.length;
    if (start + keys.length > at.limit) {
      // Most likely it ends early in whatever order, and to sort so many takes long.
      this.#fields(keys, { before, after }, at);
      if (this.operations.length > at.limit) return;
      this.operations.length = start;
    }
    this.#fields(keys.length > 1 ? keys.sort(compareBytes) : keys, { before, after }, at);
  }

  #fields(
    keys: readonly string[],
    { before, after }: Readonly<Record<"before" | "after", JsonObject>>,
    { pointer, limit }: Limited,
  ): void {
    for (let index = 0; index < keys.length && this.operations.length <= limit; index++) {
      const key = keys[index]!, place = pointer.below(key), path = place.text;
      if (!Object.hasOwn(after, key)) this.operations.push({ op: "remove", path });
      else if (Object.hasOwn(before, key)) this.values(before[key]!, after[key]!, place);
      else this.operations.push({ op: "add", path, value: after[key]! });
    }
  }

  #lists(before: readonly Json[], after: readonly Json[], at: Limited): void {
    const shorter = Math.min(before.length, after.length);
    let start = 0, end = 0;
    while (start < shorter && equal(before[start]!, after[start]!)) start++;
    if (start === before.length && start === after.length) return;
    // In lists of the same length the first element that differs need not be compared once more from the end.
    const most = shorter - start - (before.length === after.length ? 1 : 0);
    while (end < most && equal(before[before.length - 1 - end]!, after[after.length - 1 - end]!)) end++;
    const old = before.slice(start, before.length - end), fresh = after.slice(start, after.length - end);
    this.#sections({ old, fresh, start }, at);
  }

  #sections({ old, fresh, start }: Sections, { pointer, limit }: Limited): void {
    const pairs = pairElements(old, fresh);
    let left = pairs.length;
    for (let index = old.length - 1; index >= 0 && this.operations.length <= limit; index--) {
      if (left > 0 && pairs[left - 1]![0] === index) left--;
      else this.operations.push({ op: "remove", path: pointer.below(start + index).text });
    }
    for (let index = 0; index < fresh.length && this.operations.length <= limit; index++) {
      const value = fresh[index]!, place = pointer.below(start + index);
      if (pairs[left]?.[1] === index) this.values(old[pairs[left++]![0]]!, value, place);
      else this.operations.push({ op: "add", path: place.text, value });
    }
  }
}

/** A pointer, and the length of the list of operations that its value may make it. */
interface Limited {
  readonly pointer: Pointer;
  readonly limit: number;
}

/** The parts of two lists in which they differ, and where those start. */
interface Sections {
  readonly old: readonly Json[];
  readonly fresh: readonly Json[];
  readonly start: number;
}

/** The keys whose values may differ. Most are the same. */
function differingKeys(before: JsonObject, after: JsonObject): string[] {
  const keys: string[] = [], former = Object.keys(before);
  let common = 0;
  for (const key in after) { // Its own keys: what objects inherit is not enumerable.
    // No JSON value equals a property that objects inherit, so these reads need no check.
    if (before[key] === after[key]) common++;
    else {
      if (Object.hasOwn(before, key)) common++;
      keys.push(key);
    }
  }
  if (common < former.length) { for (const key of former) if (!Object.hasOwn(after, key)) keys.push(key); }
  return keys;
}

/**
 * Which old element becomes which new one, both in ascending order, so that the fewest elements are touched. The first
 * ones are not equal.
 */
function pairElements(old: readonly Json[], fresh: readonly Json[]): [from: number, to: number][] {
  if (old.length === 0 || fresh.length === 0) return [];
  if (old.length === 1 && fresh.length === 1) return editable(old[0]!, fresh[0]!) ? [[0, 0]] : [];
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

/** Whether an edit can turn an element into another: elements with a `name` must have the same name. */
function editable(old: Json, fresh: Json): boolean {
  if (isObject(old) && isObject(fresh)) {
    const name = Object.hasOwn(old, "name") ? old.name : undefined;
    return name === undefined || !Object.hasOwn(fresh, "name")
      ? !Object.hasOwn(fresh, "name")
      : name === fresh.name;
  }
  return !isObject(old) && !isObject(fresh) && isList(old) === isList(fresh);
}
