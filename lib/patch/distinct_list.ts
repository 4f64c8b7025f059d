import { type Fault, isFault, type Json } from "../json/mod.ts";
import { isBlank } from "./cell.ts";
import { isDirected } from "./directive.ts";
import { distinctIdentities, identities, keysInUse, positionsOf } from "./identity.ts";

/** Two lists to merge by keys. Usually no element lacks a key or repeats one. */
export interface DistinctLists {
  readonly dest: readonly Json[];
  readonly patch: readonly Json[];
  /** The keys that identify an element, at least one. */
  readonly keys: readonly string[];
  /** Merges two elements with the same identity; at least one is given. */
  readonly mergeElement: (dest: Json | undefined, patch: Json | undefined) => Json | undefined | Fault;
}

/** The merged list. */
export interface DistinctMerge {
  readonly elements: readonly Json[];
  /** Whether an element was added, removed or moved. */
  readonly rearranged: boolean;
}

/**
 * Merges lists in which no element lacks or repeats a key. The result is that of `mergeKeyedList`, without its
 * tables. Returns `undefined` for other lists, and when an element of the patch has a directive.
 */
export function mergeDistinctLists(lists: DistinctLists): DistinctMerge | undefined | Fault {
  const { dest, patch, mergeElement } = lists;
  const keys = keysInUse(lists.keys, dest, patch);
  const destIdentities = identities(dest, keys), find = destIdentities && positionsOf(destIdentities);
  const other = distinctIdentities(patch, keys);
  if (find === undefined || other === undefined || patch.some(isDirected)) return undefined;

  // With several keys the resource's elements keep their positions; with one key they take the patch's order.
  const keepsOrder = keys.length > 1;
  const elements: Json[] = [], rest: (Json | undefined)[] = [...dest], met: boolean[] = [];
  let rearranged = false;
  for (let index = 0; index < patch.length; index++) {
    const at = find(other[index]!);
    const merged = mergeElement(at < 0 ? undefined : dest[at], patch[index]);
    if (isFault(merged)) return merged;
    const value = merged === undefined || isBlank(merged) ? undefined : merged;
    if (at >= 0) {
      met[at] = true;
      rest[at] = keepsOrder ? value : undefined;
    }
    if (at < 0 || !keepsOrder) {
      if (at !== elements.length) rearranged = true;
      if (value !== undefined) elements.push(value);
    }
    if (value === undefined) rearranged = true;
  }
  for (let at = 0; at < rest.length; at++) {
    const value = met[at] ? rest[at] : mergeElement(rest[at], undefined);
    if (isFault(value)) return value;
    if (value !== undefined) elements.push(value);
  }
  return { elements, rearranged };
}
