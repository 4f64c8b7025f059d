import { Fault, isFault, isList, isObject, type Json, sortedKeys } from "../json/mod.ts";

/** What a merge makes of a value: `undefined` when it is removed, a fault when the merge fails. */
export type MergeResult = Json | undefined | Fault;

/**
 * A value on its way through a merge of lists in which keys are missing or repeated: elements are known by their cell,
 * and what a merge does to an element is seen by every list that it is in. The value itself is never modified, only
 * exchanged.
 */
export interface Cell {
  value: Json;
}

/** What a merge makes of an element: its cell afterwards. */
export type Merged = Cell | undefined | Fault;

/** Exchanges what is in a cell for what has become of it. */
export function put(outcome: MergeResult, cell: Cell): Merged {
  if (outcome === undefined || isFault(outcome)) return outcome;
  cell.value = outcome;
  return cell;
}

/** The list as it was when nothing in it is another. */
export function shared(list: readonly Json[] | Fault, before: readonly Json[]): readonly Json[] | Fault {
  if (isFault(list) || list.length !== before.length) return list;
  for (let index = 0; index < before.length; index++) if (list[index] !== before[index]) return list;
  return before;
}

/** What kind of YAML node a value is, in the reference's words. */
export function nodeKind(value: Json): "MappingNode" | "SequenceNode" | "ScalarNode" {
  return isObject(value) ? "MappingNode" : isList(value) ? "SequenceNode" : "ScalarNode";
}

/** The reference's complaint about, say, a list where the other side has a map. */
export function wrongKind(expected: ReturnType<typeof nodeKind>, found: Json): Fault {
  return new Fault(
    `wrong node kind: expected ${expected} but got ${nodeKind(found)}: node contents:\n${flowText(found)}\n`,
  );
}

/** YAML's flow style, as the reference prints nodes that came from JSON. */
function flowText(value: Json): string {
  if (isList(value)) return `[${value.map(flowText).join(", ")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  return `{${sortedKeys(value).map((key) => `${JSON.stringify(key)}: ${flowText(value[key]!)}`).join(", ")}}`;
}

/** The text by which scalars are compared as merge keys: 80 and "80" are the same. Maps and lists have none. */
export function scalarText(value: Json): string {
  return typeof value === "object" && value !== null ? "" : String(value);
}

/** Whether a value counts as no element of a merging list. */
export function isBlank(value: Json): boolean {
  return value === null || (isObject(value) && Object.keys(value).length === 0);
}

/** Two lists to merge by keys. */
export interface KeyedLists {
  /** The resource's elements, or the patch's own where the resource has no list. */
  readonly dest: Cell[];
  /** The patch's elements; the same list as `dest` where the resource has none. */
  readonly patch: Cell[];
  /** The keys that tell elements apart, at least one. */
  readonly keys: readonly string[];
  /** Merges two elements that are the same; at least one is given. */
  readonly mergeElement: (dest: Cell | undefined, patch: Cell | undefined) => Merged;
}
