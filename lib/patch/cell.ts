import { Fault, isList, isObject, type Json, sortedKeys } from "../json/mod.ts";

/**
 * A value on its way through a merge. Elements of lists are known by their cell: what a merge does to an element is seen
 * by every list that the element is in. The value itself is never modified, only exchanged.
 */
export interface Cell {
  value: Json;
}

/** What a walk makes of a node: the node afterwards, `undefined` when it is removed, a fault when the merge fails. */
export type Merged = Cell | undefined | Fault;

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
