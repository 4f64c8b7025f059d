import type { Json } from "../../json/mod.ts";
import { type EntryFormat, given, text } from "./entry_format.ts";

/** `variable`: a value, a query, or a query applied to a value. */
export interface VariableEntry {
  readonly kind: "variable";
  readonly name: string;
  readonly value: Json | undefined;
  /** The query; empty when there is none. */
  readonly jmesPath: string;
  readonly default: Json | undefined;
}

export const variableFormat: EntryFormat<VariableEntry> = {
  kind: "variable",
  shape: { value: "open", jmesPath: "text", default: "open" },
  read: (name, written) => ({
    kind: "variable",
    name,
    value: given(written["value"]),
    jmesPath: text(written["jmesPath"]),
    default: given(written["default"]),
  }),
};
