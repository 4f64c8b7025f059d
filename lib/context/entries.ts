import type { Json } from "../json/mod.ts";
import { type EntryKind, entryKinds, type EntryOf, type EntrySpec } from "../policy/mod.ts";
import { apiCallKind } from "./api_call.ts";
import { configMapKind } from "./config_map.ts";
import type { ContextEntry } from "./context.ts";
import type { ContextEntryKind, StandIns } from "./entry_kind.ts";
import type { EntryOptions } from "./entry_options.ts";
import type { EntrySource } from "./entry_source.ts";
import { globalReferenceKind } from "./global_reference.ts";
import { imageRegistryKind } from "./image_registry.ts";
import { variableKind } from "./variable.ts";

type Kinds = { readonly [Kind in EntryKind]: ContextEntryKind<EntryOf<Kind>> };

/** The kinds of context entries; a new one is a file and a line here. */
const kinds: Kinds = {
  variable: variableKind,
  configMap: configMapKind,
  apiCall: apiCallKind,
  globalReference: globalReferenceKind,
  imageRegistry: imageRegistryKind,
};

/** The kinds whose entries cannot be loaded from what stands in for a cluster and for services. */
export function unservedEntries(standIns: StandIns): readonly EntrySource[] {
  return entryKinds.filter((kind) => !kinds[kind].isServed(standIns)).filter((kind) => kind !== "variable");
}

/** Compiles one entry of `context`; an entry of no known kind is reported and never loads. */
export function compileEntry(entry: EntrySpec, options: EntryOptions): ContextEntry {
  const { name } = entry;
  if (name === "") {
    options.report({ code: "missing-name", message: "A context entry needs a name", path: [] });
  }
  if (entry.kind !== "unknown") {
    const kind = kinds[entry.kind] as ContextEntryKind<EntrySpec>;
    return kind.compile(entry, options);
  }
  options.report({
    code: "unknown-context",
    message: `Context entry "${name}" is none of ${entryKinds.join(", ")}`,
    path: [],
  });
  return { name, source: "value", load: (): Json | undefined => undefined };
}
