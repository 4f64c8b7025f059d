import { Fault, isFault, isList, isObject, type Json, sortedKeys } from "../json/mod.ts";

/** The result of merging a value: `undefined` when the value is removed, a fault when the merge fails. */
export type MergeResult = Json | undefined | Fault;

/**
 * Holds one element while lists with missing or repeated keys are merged. Several lists can share a cell, so a merge
 * that replaces the cell's value replaces it in all of them. The value itself is never modified.
 */
export interface Cell {
  value: Json;
}

/**
 * The result of merging an element: its cell, `undefined` when the element is removed, a fault when the merge
 * fails.
 */
export type Merged = Cell | undefined | Fault;

/** Puts the result of a merge into a cell. */
export function put(outcome: MergeResult, cell: Cell): Merged {
  if (outcome === undefined || isFault(outcome)) return outcome;
  cell.value = outcome;
  return cell;
}

/** Returns the old list when both lists have the same elements. */
export function shared(list: readonly Json[] | Fault, before: readonly Json[]): readonly Json[] | Fault {
  if (isFault(list) || list.length !== before.length) return list;
  for (let index = 0; index < before.length; index++) if (list[index] !== before[index]) return list;
  return before;
}

/** Returns kustomize's name for the kind of a YAML node. */
function nodeKind(value: Json): "MappingNode" | "SequenceNode" | "ScalarNode" {
  return isObject(value) ? "MappingNode" : isList(value) ? "SequenceNode" : "ScalarNode";
}

/** Returns kustomize's message for a value of the wrong kind, such as a list where the other side has a map. */
export function wrongKind(expected: ReturnType<typeof nodeKind>, found: Json): Fault {
  return new Fault(
    `wrong node kind: expected ${expected} but got ${nodeKind(found)}: node contents:\n${flowText(found)}\n`,
  );
}

/** Writes a value in YAML's flow style, as kustomize prints nodes that come from JSON. */
function flowText(value: Json): string {
  if (isList(value)) return `[${value.map(flowText).join(", ")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  return `{${sortedKeys(value).map((key) => `${JSON.stringify(key)}: ${flowText(value[key]!)}`).join(", ")}}`;
}

/**
 * Returns the text by which the merge compares scalars: 80 and "80" are the same. For maps and lists it is
 * empty.
 */
export function scalarText(value: Json): string {
  return typeof value === "object" && value !== null ? "" : String(value);
}

/** Whether a merging list drops the value: it drops null and the empty map. */
export function isBlank(value: Json): boolean {
  return value === null || (isObject(value) && Object.keys(value).length === 0);
}

/** Two lists to merge by keys. */
export interface KeyedLists {
  /** The resource's elements, or those of the patch where the resource has no list. */
  readonly dest: Cell[];
  /** The patch's elements; the same list as `dest` where the resource has none. */
  readonly patch: Cell[];
  /** The keys that identify an element, at least one. */
  readonly keys: readonly string[];
  /** Merges two elements with the same identity; at least one is given. */
  readonly mergeElement: (dest: Cell | undefined, patch: Cell | undefined) => Merged;
}
