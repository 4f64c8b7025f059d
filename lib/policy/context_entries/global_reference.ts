import { type EntryFormat, text } from "./entry_format.ts";

/** `globalReference`: the data of a GlobalContextEntry, or a projection of it. */
export interface GlobalReferenceEntry {
  readonly kind: "globalReference";
  readonly name: string;
  readonly reference: string;
  readonly jmesPath: string;
}

export const globalReferenceFormat: EntryFormat<GlobalReferenceEntry> = {
  kind: "globalReference",
  shape: { name: "text", jmesPath: "text" },
  read: (name, written) => ({
    kind: "globalReference",
    name,
    reference: text(written["name"]),
    jmesPath: text(written["jmesPath"]),
  }),
};
