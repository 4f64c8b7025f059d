import { isList, isObject, type Json } from "../json/mod.ts";

/** The deepest nesting of a document; deeper ones are refused. */
const maxDepth = 1000;

/** Whether a document is nested too deeply for a template, so that a recursive walk could exhaust the stack. */
export function isTooDeep(value: Json, levels = maxDepth): boolean {
  if (levels === 0) return true;
  if (isList(value)) return value.some((item) => isTooDeep(item, levels - 1));
  return isObject(value) && Object.keys(value).some((key) => isTooDeep(value[key]!, levels - 1));
}
