import { Fault, isFault, isObject, type Json } from "../json/mod.ts";
import { type Cell, isBlank, type KeyedLists, scalarText, wrongKind } from "./cell.ts";
import { keyText } from "./identity.ts";

/** The most elements of both lists together, because the merge compares every element with every other. */
const mostElements = 2000;

/** Selects the elements whose keys have these texts. There may be fewer texts than keys. */
interface Selector {
  readonly keys: readonly string[];
  readonly texts: readonly string[];
}

/**
 * Merges lists in which some elements lack a key or are no maps.
 *
 * Kyverno parity: kustomize has no rule for such lists; the results follow from how it searches and replaces. When the
 * patch has an element without the only key, kustomize removes all elements with the key. It merges an element with one
 * of two keys with those that have the same value for this key. Pinned by "an element without the only key removes
 * those that have it" and "an element with one of two keys joins those that agree in it".
 */
export function mergeIrregularList({ dest, patch, keys, mergeElement }: KeyedLists): Cell[] | Fault {
  if (dest.length + patch.length > mostElements) {
    return new Fault(
      `a list of more than ${mostElements} elements, some without ${keys.join(", ")}, cannot be merged`,
    );
  }
  const tuples = distinctTuples([...patch, ...dest], keys);
  if (keys.length > 1) joinPartial(tuples);
  const used = keys.filter((_key, index) => tuples.some((tuple) => tuple[index] !== ""));
  const usedKeys = used.length === 0 ? keys : used;

  const additions: Cell[] = [];
  for (const tuple of tuples) {
    const wanted = { keys: usedKeys, texts: tuple.filter((_text, index) => usedKeys.includes(keys[index]!)) };
    const selector = selectorOf(keys, tuple);
    const value = mergeElement(find(dest, selector), find(patch, selector));
    if (isFault(value)) return value;
    const failure = value === undefined || isBlank(value.value)
      ? replaceSelected(dest, wanted, undefined)
      : replaceSelected(additions, wanted, value);
    if (failure !== undefined) return failure;
  }
  return appendAll(additions, dest, usedKeys);
}

function distinctTuples(cells: readonly Cell[], keys: readonly string[]): string[][] {
  const tuples = new Map<string, string[]>();
  for (const { value } of cells) {
    const tuple = keys.map((key) => keyText(value, key));
    const identity = JSON.stringify(tuple);
    if (!tuples.has(identity)) tuples.set(identity, tuple);
  }
  return [...tuples.values()];
}

/**
 * Completes tuples from each other: two that agree in some key and contradict each other in none become the
 * same.
 */
function joinPartial(tuples: string[][]): void {
  for (let i = 0; i < tuples.length; i++) {
    const first = tuples[i]!;
    for (let j = 0; j < tuples.length; j++) {
      const second = tuples[j]!;
      const agree = first.some((text, index) => text === second[index]);
      const contradict = first.some((text, index) =>
        text !== "" && second[index] !== "" && text !== second[index]
      );
      if (!agree || contradict) continue;
      const joined = first.map((text, index) => text === "" ? second[index]! : text);
      tuples[i] = joined;
      tuples[j] = joined;
    }
  }
}

/** Selects by the keys for which the tuple has a text; by all keys when it has none. */
function selectorOf(keys: readonly string[], tuple: readonly string[]): Selector {
  const has = (_value: string, index: number) => tuple[index] !== "";
  return tuple.every((text) => text === "")
    ? { keys, texts: tuple }
    : { keys: keys.filter(has), texts: tuple.filter(has) };
}

function find(list: readonly Cell[], { keys, texts }: Selector): Cell | undefined {
  return list.find(({ value }) =>
    isObject(value) &&
    keys.every((key, index) => Object.hasOwn(value, key) && scalarText(value[key]!) === texts[index])
  );
}

/**
 * Replaces the selected elements of a list by the given one, or removes them when none is given. Adds the given
 * element at the end when no element is selected. Also removes blank elements, and all elements when the
 * selector has no texts.
 */
function replaceSelected(list: Cell[], selector: Selector, element: Cell | undefined): Fault | undefined {
  const kept: Cell[] = [];
  let found = false;
  for (const cell of list) {
    if (isBlank(cell.value)) continue;
    if (!isObject(cell.value) && (selector.texts[0] ?? "") !== "") {
      kept.push(cell);
    } else if (selector.texts.length === 0) {
      continue;
    } else if (!isObject(cell.value)) {
      return wrongKind("MappingNode", cell.value);
    } else if (!isSelected(cell.value, selector)) {
      kept.push(cell);
    } else {
      found = true;
      if (element !== undefined) kept.push(element);
    }
  }
  if (element !== undefined && element.value !== null && !found) kept.push(element);
  list.splice(0, list.length, ...kept);
  return undefined;
}

/** An empty text selects every element that has the key. */
function isSelected(element: Readonly<Record<string, Json>>, { keys, texts }: Selector): boolean {
  return texts.every((text, index) => {
    const key = keys[index]!;
    return Object.hasOwn(element, key) && (text === "" || scalarText(element[key]!) === text);
  });
}

function appendAll(list: Cell[], rest: readonly Cell[], keys: readonly string[]): Cell[] | Fault {
  for (const cell of rest) {
    const texts: string[] = [];
    for (const key of keys) {
      if (cell.value !== null && !isObject(cell.value)) return wrongKind("MappingNode", cell.value);
      if (isObject(cell.value) && Object.hasOwn(cell.value, key)) texts.push(scalarText(cell.value[key]!));
      else list.push(cell);
    }
    const selector = { keys, texts };
    const failure = (keys.length > 1 ? replaceSelected(list, selector, undefined) : undefined) ??
      replaceSelected(list, selector, cell);
    if (failure !== undefined) return failure;
  }
  return list;
}
