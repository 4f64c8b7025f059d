import type { Fault, Json } from "../json/mod.ts";
import { isBlank, scalarText, wrongKind } from "./cell.ts";

/** Returns the union of two lists of scalars. Two scalars with the same text are the same. */
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
    union.set(scalarText(value), value); // It keeps its position; the resource's value replaces the patch's.
  }
  return [...union.values()];
}
