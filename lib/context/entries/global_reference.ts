import { Fault, isFault, type Json, scopeOf } from "../../json/mod.ts";
import { compileTemplate } from "../../template/mod.ts";
import type { FieldNotes } from "../../shape/mod.ts";
import type { Context, ContextEntry } from "../context.ts";
import type { ContextEntryKind } from "../entry_kind.ts";
import type { EntryOptions } from "../entry_options.ts";
import { EntryQueries } from "../query.ts";
import { renderText } from "../text.ts";
import { checkQuery, checkReference } from "./entry_checks.ts";
import { text } from "./written.ts";

/** `globalReference`: the data of a GlobalContextEntry, or a projection of it. */
export interface GlobalReferenceEntry {
  readonly kind: "globalReference";
  readonly name: string;
  readonly reference: string;
  readonly jmesPath: string;
}

/** The descriptions of `globalReference` and of its fields. */
export const globalReferenceNotes: FieldNotes = {
  "globalReference": "A cached answer that a GlobalContextEntry keeps.",
  "globalReference.name": "The name of the GlobalContextEntry.",
};

/**
 * `globalReference: {name, jmesPath}`: the value of a GlobalContextEntry, or of its projection (`entry.projection`).
 */
export const globalReferenceKind: ContextEntryKind<GlobalReferenceEntry> = {
  kind: "globalReference",
  shape: { name: "text", jmesPath: "text" },
  read: (name, written) => ({
    kind: "globalReference",
    name,
    reference: text(written["name"]),
    jmesPath: text(written["jmesPath"]),
  }),
  compile: compileGlobalReference,
  isServed: ({ globals }) => globals,
};

function compileGlobalReference(entry: GlobalReferenceEntry, options: EntryOptions): ContextEntry {
  const reference = compileTemplate(entry.reference);
  const path = compileTemplate(entry.jmesPath);
  options.variables(reference.uses, ["globalReference", "name"]);
  options.variables(path.uses, ["globalReference", "jmesPath"]);
  checkQuery("globalReference", entry.jmesPath, options);
  checkReference(["globalReference", "name"], entry.reference, options);
  options.need({ kind: "globalEntry" });
  const queries = new EntryQueries("document");
  return { name: entry.name, source: "globalReference", load };

  function load(view: Context): Json | Fault {
    const key = renderText(reference, view);
    if (isFault(key)) return key;
    const { tracker } = view;
    const value = tracker.load(`global context ${key}`, async () => {
      const answer = await tracker.ports.globals.entry(key);
      return answer.ok ? answer.body : new Fault(`failed to fetch entry key=${key}: ${answer.message}`);
    });
    const query = renderText(path, view);
    if (isFault(query) || isFault(value) || query === "") return isFault(query) ? query : value;
    const result = queries.apply(query, scopeOf(value), view.environment);
    return isFault(result)
      ? new Fault(`failed to apply jmespath ${query} for context entry ${entry.name}: ${result.message}`)
      : result;
  }
}
