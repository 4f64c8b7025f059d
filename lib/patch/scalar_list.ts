import type { Fault, Json } from "../json/mod.ts";
import { isBlank, scalarText, wrongKind } from "./cell.ts";

/** The union of two lists of scalars, which are the same when their texts are. */
export function uniteScalars(dest: readonly Json[], patch: readonly Json[]): readonly Json[] | Fault {
  const union = new Map<string, Json>();
  for (const value of patch) {
    if (isBlank(value)) continue;
    if (typeof value === "object") return wrongKind("ScalarNode", value);
    const text = scalarText(value);
    if (!union.has(text)) union.set(text, value);
  }
  for (const value of dest) {
    if (isBlank(value)) continue;
    if (typeof value === "object") return wrongKind("ScalarNode", value);
    union.set(scalarText(value), value); // In its place, but as the resource has it.
  }
  return [...union.values()];
}
