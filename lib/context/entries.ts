import { asObject, asString, type Json, type JsonObject } from "../json/mod.ts";
import type { ContextEntry } from "./context.ts";
import { compileApiCall } from "./api_call.ts";
import { compileConfigMap } from "./config_map.ts";
import type { EntryOptions } from "./entry_options.ts";
import { compileGlobalReference } from "./global_reference.ts";
import { compileImageRegistry } from "./image_registry.ts";
import { compileVariable } from "./variable.ts";

/** Kinds of context entries; a new one is a file and a line here. */
const kinds: Readonly<Record<string, (spec: JsonObject, options: EntryOptions) => ContextEntry>> = {
  variable: compileVariable,
  configMap: compileConfigMap,
  apiCall: compileApiCall,
  globalReference: compileGlobalReference,
  imageRegistry: compileImageRegistry,
};

/** Compiles one entry of `context`; an entry of no known kind is reported and never loads. */
export function compileEntry(entry: JsonObject, options: Omit<EntryOptions, "name">): ContextEntry {
  const name = asString(entry["name"]) ?? "";
  if (name === "") {
    options.report({ code: "missing-name", message: "A context entry needs a name", path: [] });
  }
  for (const [kind, compile] of Object.entries(kinds)) {
    const spec = asObject(entry[kind]);
    if (spec !== undefined) return compile(spec, { ...options, name });
  }
  options.report({
    code: "unknown-context",
    message: `Context entry "${name}" is none of ${Object.keys(kinds).join(", ")}`,
    path: [],
  });
  return { name, source: "value", load: (): Json | undefined => undefined };
}
