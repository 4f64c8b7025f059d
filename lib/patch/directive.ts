import { Fault, isObject, type Json, type JsonObject } from "../json/mod.ts";
import { isBlank, scalarText } from "./cell.ts";
import { withoutKey } from "./container.ts";

/** The value of `$patch` in a map or list of a patch. */
export type Directive = "replace" | "delete" | "merge";

/** Returns the directive of a patch's map; `merge` when the map has none. */
export function directiveOfMap(patch: JsonObject): Directive | Fault {
  return Object.hasOwn(patch, "$patch") ? directiveNamed(scalarText(patch.$patch!)) : "merge";
}

/** Returns a patch's map without its directive. */
export function withoutDirective(patch: JsonObject): JsonObject {
  return withoutKey(patch, "$patch");
}

/** A list of a patch: its directive and its other elements. */
export interface DirectedList {
  readonly directive: Directive | Fault;
  readonly elements: readonly Json[];
}

/**
 * Separates the directive of a patch's list, an element `- $patch: replace`, from the other elements. Only the first
 * such element counts.
 */
export function directedList(patch: readonly Json[]): DirectedList {
  const element = patch.find(isDirected);
  if (!isObject(element) || Object.keys(element).length > 1) return { directive: "merge", elements: patch };
  const text = scalarText(element.$patch!);
  const elements = patch.filter((item) =>
    !isBlank(item) && !(isDirected(item) && scalarText(item.$patch!) === text)
  );
  return { directive: directiveNamed(text), elements };
}

/** Whether a value is a map with a directive. */
export function isDirected(value: Json): value is JsonObject {
  return isObject(value) && Object.hasOwn(value, "$patch");
}

function directiveNamed(text: string): Directive | Fault {
  if (text === "replace" || text === "delete" || text === "merge") return text;
  return new Fault(`unknown patch strategy '${text}'`);
}
