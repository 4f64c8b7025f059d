import { Fault, goPrint, isFault, isList, isObject, type Json } from "../json/mod.ts";
import type { Template } from "../template/mod.ts";
import type { Context } from "./context.ts";

/**
 * Renders a template where an entry needs text: a name, a path, a query. Numbers and booleans become text; any other
 * value is a fault, whatever a resource contains.
 */
export function renderText(template: Template, view: Context): string | Fault {
  const value: Json | Fault = template.render(view, view.environment);
  if (isFault(value) || typeof value === "string") return value;
  if (value !== null && !isList(value) && !isObject(value)) return goPrint(value);
  const found = value === null ? "null" : isList(value) ? "a list" : "an object";
  return new Fault(`expected text, not ${found}`);
}
