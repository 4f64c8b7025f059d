import { type Fault, isFault, isObject, type Json } from "../json/mod.ts";
import { type Cell, isBlank, type Merged, scalarText, wrongKind } from "./cell.ts";
import { mergeIrregularList } from "./irregular_list.ts";

/** Two lists to merge by keys. */
export interface KeyedLists {
  /** The resource's elements, or the patch's own where the resource has no list. */
  readonly dest: Cell[];
  /** The patch's elements; the same list as `dest` where the resource has none. */
  readonly patch: Cell[];
  /** The keys that tell elements apart; none for a list of scalars, whose values do. */
  readonly keys: readonly string[];
  /** Merges two elements that are the same; at least one is given. */
  readonly mergeElement: (dest: Cell | undefined, patch: Cell | undefined) => Merged;
}

/**
 * Merges two lists: the patch's elements first, in its order, then the remaining ones of the resource.
 * The elements of lists with several keys keep the resource's order, behind what the patch adds.
 * Of elements that repeat a key the last one of the resource stays.
 */
export function mergeKeyedList(lists: KeyedLists): Cell[] | Fault {
  if (lists.keys.length === 0) return mergeScalars(lists);
  const keys = lists.keys.length === 1 ? lists.keys : keysInUse(lists);
  const dest = identities(lists.dest, keys);
  const patch = lists.patch === lists.dest ? dest : identities(lists.patch, keys);
  if (dest === undefined || patch === undefined) return mergeIrregularList(lists);
  return mergeIdentified({ ...lists, keys }, dest, patch);
}

/** The keys that some element has. */
function keysInUse({ dest, patch, keys }: KeyedLists): readonly string[] {
  const has = (key: string) => (cell: Cell) => keyText(cell.value, key) !== "";
  return keys.filter((key) => dest.some(has(key)) || patch.some(has(key)));
}

/** What tells each element apart; `undefined` when some element lacks a key or is no map. */
function identities(list: readonly Cell[], keys: readonly string[]): string[] | undefined {
  const found: string[] = [];
  for (const { value } of list) {
    const texts = keys.map((key) => keyText(value, key));
    if (texts.includes("") || texts.length === 0) return undefined;
    found.push(texts.length === 1 ? texts[0]! : JSON.stringify(texts));
  }
  return found;
}

/** The text of an element's key; empty when it has none. */
export function keyText(element: Json, key: string): string {
  const value = isObject(element) && Object.hasOwn(element, key) ? element[key]! : null;
  return value === null ? "" : scalarText(value);
}

/** Whether every element of a list has a text for each key that is in use, and no two have the same. */
export function isDistinct(list: readonly Json[], keys: readonly string[]): boolean {
  if (keys.length === 0) {
    return list.every((item) => item !== null && typeof item !== "object") &&
      new Set(list.map(scalarText)).size === list.length;
  }
  const used = keys.length === 1
    ? keys
    : keys.filter((key) => list.some((item) => keyText(item, key) !== ""));
  const seen = new Set<string>();
  for (const item of list) {
    const texts = used.map((key) => keyText(item, key));
    if (texts.length === 0 || texts.includes("")) return false;
    seen.add(texts.length === 1 ? texts[0]! : JSON.stringify(texts));
  }
  return seen.size === list.length;
}

function mergeIdentified(
  lists: KeyedLists,
  destKeys: readonly string[],
  patchKeys: readonly string[],
): Cell[] | Fault {
  const { dest, patch, keys, mergeElement } = lists;
  const firstInDest = firstPositions(destKeys), firstInPatch = firstPositions(patchKeys);
  const merged = new Map<string, Cell>();
  const removed = new Set<string>();
  for (const key of new Set([...patchKeys, ...destKeys])) {
    const own = firstInDest.get(key), other = firstInPatch.get(key);
    const value = mergeElement(
      own === undefined ? undefined : dest[own],
      other === undefined ? undefined : patch[other],
    );
    if (isFault(value)) return value;
    if (value === undefined || isBlank(value.value)) removed.add(key);
    else merged.set(key, value);
  }
  dest.forEach((cell, index) => {
    const key = destKeys[index]!;
    if (removed.has(key)) return;
    if (keys.length > 1) merged.delete(key); // Moves it behind the others.
    merged.set(key, cell);
  });
  return [...merged.values()];
}

function firstPositions(keys: readonly string[]): Map<string, number> {
  const positions = new Map<string, number>();
  keys.forEach((key, index) => {
    if (!positions.has(key)) positions.set(key, index);
  });
  return positions;
}

/** The union of two lists of scalars, which are the same when their texts are. */
function mergeScalars({ dest, patch }: KeyedLists): Cell[] | Fault {
  const union = new Map<string, Cell>();
  for (const [index, cell] of [...patch, ...dest].entries()) {
    if (isBlank(cell.value)) continue;
    if (typeof cell.value === "object") return wrongKind("ScalarNode", cell.value);
    const text = scalarText(cell.value);
    if (index >= patch.length || !union.has(text)) union.set(text, cell);
  }
  return [...union.values()];
}
