import type { Json } from "../json/mod.ts";
import { type EntryKind, entryKinds, type EntryOf, type EntrySpec } from "../policy/mod.ts";
import type { ContextEntry } from "./context.ts";
import { compileApiCall } from "./api_call.ts";
import { compileConfigMap } from "./config_map.ts";
import type { EntryOptions } from "./entry_options.ts";
import { compileGlobalReference } from "./global_reference.ts";
import { compileImageRegistry } from "./image_registry.ts";
import { compileVariable } from "./variable.ts";

type Compilers = {
  readonly [Kind in EntryKind]: (
    entry: EntryOf<Kind>,
    options: EntryOptions,
  ) => ContextEntry;
};

/** The compiler of each kind of context entry. A new kind is a file and a line here. */
const compilers: Compilers = {
  variable: compileVariable,
  configMap: compileConfigMap,
  apiCall: compileApiCall,
  globalReference: compileGlobalReference,
  imageRegistry: compileImageRegistry,
};

/** Compiles one entry of `context`; an entry of no known kind is reported and never loads. */
export function compileEntry(entry: EntrySpec, options: EntryOptions): ContextEntry {
  const { name } = entry;
  if (name === "") {
    options.report({ code: "missing-name", message: "A context entry needs a name", path: [] });
  }
  if (entry.kind !== "unknown") {
    const compile = compilers[entry.kind] as (entry: EntrySpec, options: EntryOptions) => ContextEntry;
    return compile(entry, options);
  }
  options.report({
    code: "unknown-context",
    message: `Context entry "${name}" is none of ${entryKinds.join(", ")}`,
    path: [],
  });
  return { name, source: "value", load: (): Json | undefined => undefined };
}
