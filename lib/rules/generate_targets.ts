import { type Json, parseJsonText } from "../json/mod.ts";
import type { GenerateBody } from "./generate.ts";

/**
 * The targets and sources of a generate rule as JSON, without the data: objects under other targets are other
 * objects.
 */
export function targetsOf({ patterns }: GenerateBody): Json {
  return parseJsonText(JSON.stringify(patterns.map(({ pattern: { data: _data, ...target } }) => target)));
}
