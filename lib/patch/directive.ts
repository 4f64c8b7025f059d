import { Fault, isObject, type Json, type JsonObject } from "../json/mod.ts";
import { isBlank, scalarText } from "./cell.ts";
import { withoutKey } from "./container.ts";

/** What a patch says with `$patch` about the node where it stands. */
export type Directive = "replace" | "delete" | "merge";

/** The directive of a patch's map; `merge` when it has none. */
export function directiveOfMap(patch: JsonObject): Directive | Fault {
  return Object.hasOwn(patch, "$patch") ? directiveNamed(scalarText(patch.$patch!)) : "merge";
}

/** A patch's map without its directive. */
export function withoutDirective(patch: JsonObject): JsonObject {
  return withoutKey(patch, "$patch");
}

/** A patch's list, taken apart. */
export interface DirectedList {
  readonly directive: Directive | Fault;
  readonly elements: readonly Json[];
}

/**
 * Takes the directive out of a patch's list, where it is an element of its own, `- $patch: replace`. Only the first
 * element with that key counts.
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
