import type { PathDiagnostic } from "../../diagnostics/mod.ts";
import { asList, type DocumentPath, field, isGiven, type Json, type JsonObject } from "../../json/mod.ts";
import { refusal } from "./refusal.ts";

/** A rule whose body is not in CEL has no conditions in CEL, and one whose body is has no context entries. */
export function mixedLanguages(rule: JsonObject, path: DocumentPath): PathDiagnostic[] {
  const [name, message] = isGiven(field(rule["validate"], "cel"))
    ? ["context", "context variables are not supported for CEL expressions in validate rules"]
    : ["celPreconditions", "celPrecondition can only be used with validate.cel"];
  return asList(rule[name]).length === 0 ? [] : [refusal([...path, name], message)];
}

/**
 * The parts of a rule's `cel` for which it is refused, besides its expressions and the selection of its parameters.
 * Kyverno parity: pinned by "policy review refuses".
 */
export function celRefusals(block: Json | undefined, path: DocumentPath): PathDiagnostic[] {
  const kind = field(block, "paramKind"), reference = field(block, "paramRef");
  return [
    ...(isGiven(kind) || isGiven(reference) ? required(block, ["paramKind", "paramRef"], path) : []),
    ...required(kind, ["apiVersion", "kind"], [...path, "paramKind"]),
    ...required(reference, ["parameterNotFoundAction"], [...path, "paramRef"]),
    ...asList(field(block, "auditAnnotations")).flatMap((annotation, index) =>
      required(annotation, ["key", "valueExpression"], [...path, "auditAnnotations", index])
    ),
  ];
}

/** The refusals of a part that lacks one of the fields; none when the part is absent. */
function required(part: Json | undefined, names: readonly string[], path: DocumentPath): PathDiagnostic[] {
  if (!isGiven(part)) return [];
  return names.filter((name) => !isGiven(field(part, name)) || field(part, name) === "")
    .map((name) => refusal(path, `${name} is required`));
}
