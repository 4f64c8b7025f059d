import { goJson, isList, isObject, type Json } from "../../json/mod.ts";
import { maxText } from "../go_strings.ts";

/** Nesting of the deepest value that is written. */
const maxDepth = 1_000;

/**
 * A value as Go writes JSON; `undefined` when that would be too large. An expression can make small values that are
 * huge when written (`[@, @] | [@, @] | …`), so they are measured first.
 */
export function boundedJson(value: Json): string | undefined {
  if (typeof value !== "object" || value === null) return goJson(value);
  return measure(value, maxText, 0) < 0 ? undefined : goJson(value);
}

/** The characters of a budget that remain after writing a value; negative when the budget is too small. */
function measure(value: Json, budget: number, depth: number): number {
  if (depth > maxDepth) return -1;
  let rest = budget - (typeof value === "string" ? value.length + 2 : 1);
  if (isList(value)) {
    for (let index = 0; index < value.length && rest >= 0; index++) {
      rest = measure(value[index]!, rest - 1, depth + 1);
    }
  } else if (isObject(value)) {
    for (const key of Object.keys(value)) {
      if (rest < 0) break;
      rest = measure(value[key]!, rest - key.length - 4, depth + 1);
    }
  }
  return rest;
}
