import { type Fault, isFault, type Json } from "../json/mod.ts";
import { type Cell, isBlank, type KeyedLists } from "./cell.ts";
import { identities, keysInUse } from "./identity.ts";
import { mergeIrregularList } from "./irregular_list.ts";

/**
 * Merges any two lists. With one key, the patch's elements come first, in its order, and the remaining ones of
 * the resource follow. With several keys, the elements that the patch adds come first, and the resource's
 * elements keep their order. Of elements that repeat a key, the last one of the resource stays.
 */
export function mergeKeyedList(lists: KeyedLists): Cell[] | Fault {
  const destValues = lists.dest.map(valueOf), patchValues = lists.patch.map(valueOf);
  const keys = keysInUse(lists.keys, destValues, patchValues);
  const dest = identities(destValues, keys), patch = identities(patchValues, keys);
  if (dest === undefined || patch === undefined) return mergeIrregularList(lists);
  return mergeIdentified({ ...lists, keys }, dest, patch);
}

function valueOf({ value }: Cell): Json {
  return value;
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
    const inDest = firstInDest.get(key), inPatch = firstInPatch.get(key);
    const value = mergeElement(
      inDest === undefined ? undefined : dest[inDest],
      inPatch === undefined ? undefined : patch[inPatch],
    );
    if (isFault(value)) return value;
    if (value === undefined || isBlank(value.value)) removed.add(key);
    else merged.set(key, value);
  }
  dest.forEach((cell, index) => {
    const key = destKeys[index]!;
    if (removed.has(key)) return;
    if (keys.length > 1) merged.delete(key); // Moves the element behind the others.
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
