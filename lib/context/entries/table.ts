import { asList, asObject, isObject, type Json } from "../../json/mod.ts";
import type { FieldNotes, Shape } from "../../shape/mod.ts";
import type { ContextEntry } from "../context.ts";
import type { ContextEntryKind, StandIns } from "../entry_kind.ts";
import type { EntryOptions } from "../entry_options.ts";
import type { EntrySource } from "../entry_source.ts";
import { apiCallKind, apiCallNotes } from "./api_call.ts";
import { configMapKind, configMapNotes } from "./config_map.ts";
import { globalReferenceKind, globalReferenceNotes } from "./global_reference.ts";
import { imageRegistryKind, imageRegistryNotes } from "./image_registry.ts";
import { variableKind, variableNotes } from "./variable.ts";
import { text } from "./written.ts";

/** Every kind of context entry. A new kind is a file, with its record here and its notes in `contextNotes`. */
const kinds = [
  variableKind,
  configMapKind,
  apiCallKind,
  globalReferenceKind,
  imageRegistryKind,
] as const;

/** An entry of a kind in the table. */
type KindEntry = ReturnType<(typeof kinds)[number]["read"]>;

/** An entry of a rule's `context`, parsed. Texts are templates. */
export type EntrySpec = KindEntry | { readonly kind: "unknown"; readonly name: string };

const all: readonly ContextEntryKind<KindEntry>[] = kinds;

/** The names of all kinds of entries, for messages. */
export const entryKinds: readonly KindEntry["kind"][] = kinds.map(({ kind }) => kind);

/** The shape of a list of context entries. */
export const contextShape: Shape = [{
  name: "text",
  ...Object.fromEntries(kinds.map(({ kind, shape }) => [kind, shape])),
}];

/** The fields that several kinds have. */
const sharedNotes: FieldNotes = {
  "context": "Named values that the rule loads or computes, for use in variables.",
  "context.name": "The name under which variables read the value.",
  "jmesPath": "An expression that takes a part of the value.",
  "default": "The value when nothing can be loaded or found.",
};

/**
 * The descriptions of the fields of `context`. A function returns them, because engines in browsers and bundles have no
 * use for them: a bundler leaves out a function that nothing calls, but it keeps every field of a record.
 */
export function contextNotes(): readonly FieldNotes[] {
  return [
    sharedNotes,
    variableNotes,
    configMapNotes,
    apiCallNotes,
    globalReferenceNotes,
    imageRegistryNotes,
  ];
}

/** Parses the entries of a `context` list, without those that are not objects. */
export function parseContext(written: Json | undefined): readonly EntrySpec[] {
  return asList(written).filter(isObject).map((entry): EntrySpec => {
    const name = text(entry["name"]);
    for (const { kind, read } of all) {
      const spec = asObject(entry[kind]);
      if (spec !== undefined) return read(name, spec);
    }
    return { kind: "unknown", name };
  });
}

/** The kinds whose entries cannot be loaded from what stands in for a cluster and for services. */
export function unservedEntries(standIns: StandIns): readonly EntrySource[] {
  return all.filter(({ isServed }) => !isServed(standIns)).map(({ kind }) => kind);
}

/** Compiles one entry of `context`; an entry of an unknown kind is reported, and never loads. */
export function compileEntry(entry: EntrySpec, options: EntryOptions): ContextEntry {
  const { name } = entry;
  if (name === "") {
    options.report({
      severity: "error",
      code: "missing-name",
      message: "A context entry needs a name",
      path: [],
    });
  }
  if (entry.kind !== "unknown") return all.find(({ kind }) => kind === entry.kind)!.compile(entry, options);
  options.report({
    severity: "error",
    code: "unknown-context",
    message: `Context entry "${name}" is none of ${entryKinds.join(", ")}`,
    path: [],
  });
  return { name, source: "value", load: (): Json | undefined => undefined };
}
