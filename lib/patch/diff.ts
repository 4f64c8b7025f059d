import {
  compareBytes,
  equal,
  isList,
  isObject,
  type Json,
  type JsonObject,
  type Visits,
} from "../json/mod.ts";
import { type SameElement, sameElements, valuesIn } from "./element_classes.ts";
import type { PatchOperation } from "./json_patch.ts";
import { Pointer } from "./pointer.ts";

/**
 * The longest differing part of two lists that is aligned with the fewest edits; longer parts are compared by
 * position.
 */
const longestAlignment = 400;

/**
 * The most operations for changes inside one list or object; above that, one operation replaces the whole list
 * or object. 170,000 operations for the containers of one Pod make an answer of 20 MB; the Pod has 3 MB.
 */
const mostOperations = 2_000;

/**
 * The most comparisons of elements in all lists of two documents. When they are used up, one operation replaces each
 * list. Thousands of lists, or lists that nest hundreds of levels, would take seconds.
 */
const mostComparisons = 4_000_000;

/**
 * Returns the JSON patch that turns one document into another: applying it gives exactly `changed`.
 *
 * The patch uses only add, remove and replace, in canonical order. In an object, keys come in the order of
 * their bytes, each with all its operations. In a list, removals come first, from the end, so that the other
 * indices stay valid; changes and additions follow from the start. `diff` does not compare subtrees that are
 * the same object. Where a list or object below the root would take thousands of operations, one operation
 * replaces it.
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
 * Collects the differences of two documents. Each method compares the values at one pointer. It ends early when
 * the operations exceed the pointer's limit; then one operation replaces the whole value.
 */
class Comparison {
  readonly operations: PatchOperation[] = [];
  readonly #visits: Visits = { left: mostComparisons };

  values(before: Json, after: Json, pointer: Pointer): void {
    if (before === after) return;
    const start = this.operations.length;
    const at = { pointer, limit: pointer === Pointer.root ? Infinity : start + mostOperations };
    if (isObject(before) && isObject(after)) this.#objects(before, after, at);
    else if (isList(before) && isList(after) && this.#visits.left > 0) this.#lists(before, after, at);
    else this.operations.push({ op: "replace", path: pointer.text, value: after });
    if (this.operations.length <= at.limit) return;
    this.operations.length = start;
    this.operations.push({ op: "replace", path: pointer.text, value: after });
  }

  #objects(before: JsonObject, after: JsonObject, at: Limited): void {
    const keys = differingKeys(before, after), start = this.operations.length;
    if (start + keys.length > at.limit) {
      // The comparison will most likely end early in any order, and sorting so many keys takes long.
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
      const key = keys[index]!, child = pointer.below(key), path = child.text;
      if (!Object.hasOwn(after, key)) this.operations.push({ op: "remove", path });
      else if (Object.hasOwn(before, key)) this.values(before[key]!, after[key]!, child);
      else this.operations.push({ op: "add", path, value: after[key]! });
    }
  }

  #lists(before: readonly Json[], after: readonly Json[], at: Limited): void {
    const shorter = Math.min(before.length, after.length), visits = this.#visits;
    let start = 0, end = 0;
    while (start < shorter && equal(before[start]!, after[start]!, visits)) start++;
    if (start === before.length && start === after.length) return;
    // In lists of the same length the loop from the end need not compare the first differing element again.
    const most = shorter - start - (before.length === after.length ? 1 : 0);
    while (end < most && equal(before[before.length - 1 - end]!, after[after.length - 1 - end]!, visits)) {
      end++;
    }
    const old = { list: before, start, length: before.length - end - start };
    this.#ranges(old, { list: after, start, length: after.length - end - start }, at);
  }

  #ranges(old: ListRange, fresh: ListRange, { pointer, limit }: Limited): void {
    const { keeps, formerOf } = pairElements(old, fresh, this.#visits), { start } = fresh;
    for (let index = old.length - 1; index >= 0 && this.operations.length <= limit; index--) {
      if (!keeps(index)) this.operations.push({ op: "remove", path: pointer.below(start + index).text });
    }
    for (let index = 0; index < fresh.length && this.operations.length <= limit; index++) {
      const value = fresh.list[start + index]!,
        child = pointer.below(start + index),
        former = formerOf(index);
      if (former !== undefined) this.values(old.list[start + former]!, value, child);
      else this.operations.push({ op: "add", path: child.text, value });
    }
  }
}

/** A pointer, and how many operations the list may have after the comparison of its value. */
interface Limited {
  readonly pointer: Pointer;
  readonly limit: number;
}

/** The part of a list that differs from another list. */
interface ListRange {
  readonly list: readonly Json[];
  readonly start: number;
  readonly length: number;
}

/**
 * Which old element becomes which new one, by their indices in the ranges, so that the patch touches few elements.
 */
interface Pairing {
  /** Whether an old element becomes a new one. */
  readonly keeps: (old: number) => boolean;
  /** The index of the old element that becomes a new one; `undefined` when none does. */
  readonly formerOf: (fresh: number) => number | undefined;
}

/** Returns the keys whose values may differ. Most values are the same object in both and need no comparison. */
function differingKeys(before: JsonObject, after: JsonObject): string[] {
  const keys: string[] = [];
  let common = 0, former = 0;
  for (const _key in before) former++;
  for (const key in after) { // Only the object's keys: inherited properties are not enumerable.
    // No JSON value equals a property that objects inherit, so these reads need no check.
    if (before[key] === after[key]) common++;
    else {
      if (Object.hasOwn(before, key)) common++;
      keys.push(key);
    }
  }
  if (common < former) { for (const key in before) if (!Object.hasOwn(after, key)) keys.push(key); }
  return keys;
}

/** Pairs the elements of two ranges, both in ascending order. Their first elements are not equal. */
function pairElements(old: ListRange, fresh: ListRange, visits: Visits): Pairing {
  const most = Math.max(old.length, fresh.length);
  if (Math.min(old.length, fresh.length) === 0 || most === 1 || most > longestAlignment) {
    return pairByPosition(old, fresh);
  }
  visits.left -= old.length * fresh.length;
  const elements = { old: elementsOf(old), fresh: elementsOf(fresh) };
  visits.left -= valuesIn(elements.old, visits.left) + valuesIn(elements.fresh, visits.left);
  return visits.left < 0 ? pairByPosition(old, fresh) : align(elements);
}

function elementsOf({ list, start, length }: ListRange): readonly Json[] {
  return list.slice(start, start + length);
}

/** Pairs the elements so that the patch touches the fewest. */
function align({ old, fresh }: Omit<Aligned, "same">): Pairing {
  const width = fresh.length + 1;
  const same = sameElements(old, fresh);
  const cost = editCosts({ old, fresh, same });
  const formers: number[] = [], kept: boolean[] = [];
  let i = 0, j = 0;
  while (i < old.length && j < fresh.length) {
    const at = i * width + j;
    const edited = cost[at + width + 1]! + 1 === cost[at] && editable(old[i]!, fresh[j]!);
    if (edited || same(i, j)) {
      kept[i] = true;
      formers[j++] = i++;
    } else if (cost[at + width]! + 1 === cost[at]) i++;
    else j++;
  }
  return { keeps: (index) => kept[index] === true, formerOf: (index) => formers[index] };
}

/** Two lists, and the equality of their elements. */
interface Aligned {
  readonly old: readonly Json[];
  readonly fresh: readonly Json[];
  readonly same: SameElement;
}

/**
 * Returns, for each pair of positions, the least number of elements to edit, remove and add from there on. An
 * edit of any size counts one; equal elements cost nothing.
 */
function editCosts({ old, fresh, same }: Aligned): Uint16Array {
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
      if (same(i, j)) cost[at] = diagonal;
      else cost[at] = 1 + Math.min(below, right, editable(old[i]!, fresh[j]!) ? diagonal : below);
    }
  }
  return cost;
}

/** It makes no list of the pairs: lists of small values may have a million elements. */
function pairByPosition(old: ListRange, fresh: ListRange): Pairing {
  const shorter = Math.min(old.length, fresh.length);
  const isPair = (index: number): boolean =>
    index < shorter && editable(old.list[old.start + index]!, fresh.list[fresh.start + index]!);
  return { keeps: isPair, formerOf: (index) => isPair(index) ? index : undefined };
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
