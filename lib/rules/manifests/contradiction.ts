import type { PathDiagnostic } from "../../diagnostics/mod.ts";
import { asList, asObject, type DocumentPath, field, type Json } from "../../json/mod.ts";

/**
 * A contradiction between annotations: two attestors that must both verify want different values of one annotation.
 * Attestors of which only some must verify are not compared.
 */
export function contradictionIn(sets: Json | undefined, path: DocumentPath): PathDiagnostic | undefined {
  const wanted = new Map<string, Json>();
  for (const [index, set] of asList(sets).entries()) {
    const entries = asList(field(set, "entries")), count = field(set, "count");
    if (typeof count === "number" && count < entries.length) continue;
    for (const [nth, entry] of entries.entries()) {
      for (const [name, value] of Object.entries(asObject(field(entry, "annotations")) ?? {})) {
        const before = wanted.get(name);
        wanted.set(name, value);
        if (before === undefined || before === value) continue;
        return {
          severity: "warning",
          code: "never-passes",
          message: `No object has the annotation ${name} with both ${JSON.stringify(before)} and ${
            JSON.stringify(value)
          }`,
          hint: "require one value, or let one of the attestors suffice with count: 1",
          path: [...path, index, "entries", nth, "annotations", name],
        };
      }
    }
  }
  return undefined;
}
