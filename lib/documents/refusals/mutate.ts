import type { PathDiagnostic } from "../../diagnostics/mod.ts";
import { asList, asString, type DocumentPath, field, isGiven, type Json } from "../../json/mod.ts";
import { refusal } from "./refusal.ts";

/** The refused parts of a `mutate` block: patches in two forms, and loops beside patches or without one. */
export function mutationRefusals(mutate: Json | undefined, path: DocumentPath): PathDiagnostic[] {
  const forms = patchesOf(mutate);
  if (asList(field(mutate, "foreach")).length === 0) return forms.length > 1 ? [oneOf(path)] : [];
  return forms.length > 0
    ? [refusal(
      path,
      "only one of `foreach`, `patchStrategicMerge`, or `patchesJson6902` is allowed",
      "make a rule of each",
    )]
    : loopRefusals(mutate, path);
}

function oneOf(path: DocumentPath): PathDiagnostic {
  const message = "only one of `patchStrategicMerge` or `patchesJson6902` is allowed";
  return refusal(path, message, "give it one of them");
}

/** Kyverno parity: of loops in loops, the first list alone is looked at; pinned by "policy is accepted:". */
function loopRefusals(body: Json | undefined, path: DocumentPath): PathDiagnostic[] {
  for (const [index, loop] of asList(field(body, "foreach")).entries()) {
    const below = [...path, "foreach", index];
    const forms = patchesOf(loop);
    if (asList(field(loop, "foreach")).length > 0) {
      const others = ["context", "preconditions"].filter((name) => isGiven(field(loop, name)));
      return [...forms, ...others].length > 0
        ? [refusal(
          below,
          "a nested foreach cannot contain other declarations",
          `move ${[...forms, ...others].join(" and ")} into the inner loop`,
        )]
        : loopRefusals(loop, below);
    }
    if (forms.length !== 1) return [oneOf(below)];
  }
  return [];
}

function patchesOf(body: Json | undefined): string[] {
  return ["patchStrategicMerge", "patchesJson6902"].filter((name) => {
    const patch = field(body, name);
    return isGiven(patch) && asString(patch) !== "";
  });
}
