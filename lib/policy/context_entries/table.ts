import { asList, asObject, isObject, type Json } from "../../json/mod.ts";
import type { Shape } from "../shape.ts";
import { apiCallFormat } from "./api_call.ts";
import { configMapFormat } from "./config_map.ts";
import { type EntryFormat, text } from "./entry_format.ts";
import { globalReferenceFormat } from "./global_reference.ts";
import { imageRegistryFormat } from "./image_registry.ts";
import { variableFormat } from "./variable.ts";

/** Every kind of context entry as its author writes it. A new kind is a file with such a record and a line here. */
const formats = [
  variableFormat,
  configMapFormat,
  apiCallFormat,
  globalReferenceFormat,
  imageRegistryFormat,
] as const;

/** An entry of a kind that there is. */
type KindEntry = ReturnType<(typeof formats)[number]["read"]>;

/** An entry of a rule's `context`, parsed. Texts are templates. */
export type EntrySpec = KindEntry | { readonly kind: "unknown"; readonly name: string };

/** The kinds of context entries. */
export type EntryKind = KindEntry["kind"];

/** An entry of one kind: `EntryOf<"apiCall">`. */
export type EntryOf<Kind extends EntryKind> = Extract<KindEntry, { kind: Kind }>;

const all: readonly EntryFormat<KindEntry>[] = formats;

/** The names of all kinds of entries, for messages. */
export const entryKinds: readonly EntryKind[] = formats.map(({ kind }) => kind);

/** The shape of a list of context entries. */
export const contextShape: Shape = [{
  name: "text",
  ...Object.fromEntries(formats.map(({ kind, shape }) => [kind, shape])),
}];

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
