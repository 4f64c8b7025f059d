import { type Fault, isFault, type Json, scopeOf } from "../../lib/json/mod.ts";
import { compileTemplate, type TemplateOptions } from "../../lib/template/mod.ts";

/** Time stands still. */
export const environment = { now: () => 0, random: () => 0 };

/** Compiles and renders; a fault becomes its message in an object of its own, so that tables can hold it. */
export function rendered(document: Json, data: Json, options: TemplateOptions = {}): Json {
  const value = compileTemplate(document, options).render(scopeOf(data), environment);
  return isFault(value) ? faultOf(value) : value;
}

/** How {@link rendered} shows a fault. */
export function faultOf(fault: Fault | string): Json {
  return { "fault:": typeof fault === "string" ? fault : fault.message };
}
