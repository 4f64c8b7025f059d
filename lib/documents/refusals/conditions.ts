import { operatorNames } from "../../condition/mod.ts";
import { choosing, type PathDiagnostic } from "../../diagnostics/mod.ts";
import {
  asList,
  asString,
  type DocumentPath,
  field,
  isGiven,
  isList,
  isString,
  type Json,
} from "../../json/mod.ts";
import { admissionOperations } from "../../kube/mod.ts";
import { refusal } from "./refusal.ts";

/**
 * How strictly conditions are read when a policy is stored: those of a rule need all their parts; those of a loop's
 * `deny` do not; those that the definitions describe field by field (a loop's preconditions, an attestation's
 * conditions) have no former names of operators either.
 */
export type ConditionReading = "rule" | "loop" | "described";

/** The conditions of a list, or of `any` and `all`, that miss a part or spell their operator in another way. */
export function conditionRefusals(
  conditions: Json | undefined,
  path: DocumentPath,
  reading: ConditionReading = "rule",
): PathDiagnostic[] {
  return listed(conditions, path).flatMap(({ condition, path }) =>
    reading === "rule" && ["key", "operator", "value"].some((part) => !isGiven(field(condition, part)))
      ? [refusal(path, "entered value of `key`, `value` or `operator` is missing or misspelled")]
      : spellingRefusals(field(condition, "operator"), { path: [...path, "operator"], reading })
  );
}

/**
 * The conditions of a list, or of `any` and `all`, that compare the operation of a request with one that does not
 * exist. Kyverno parity: those of loops are not looked at. Pinned by "policy is accepted:".
 */
export function operationRefusals(conditions: Json | undefined, path: DocumentPath): PathDiagnostic[] {
  return listed(conditions, path).flatMap(({ condition, path }) =>
    valueRefusals(condition, [...path, "value"])
  );
}

function listed(
  conditions: Json | undefined,
  path: DocumentPath,
): readonly { readonly condition: Json; readonly path: DocumentPath }[] {
  const lists = isList(conditions ?? null)
    ? [{ list: asList(conditions), path }]
    : ["any", "all"].map((form) => ({ list: asList(field(conditions, form)), path: [...path, form] }));
  return lists.flatMap(({ list, path }) =>
    list.map((condition, index) => ({ condition, path: [...path, index] }))
  );
}

const names: ReadonlySet<string> = new Set(operatorNames());

/** Names of operators that their definition leaves out, with those that mean the same. */
const formerNames: Readonly<Record<string, string>> = { Equal: "Equals", NotEqual: "NotEquals" };

/** Conditions are evaluated whatever the case of their operator; Kyverno stores only its spelling. */
function spellingRefusals(
  operator: Json | undefined,
  { path, reading }: { readonly path: DocumentPath; readonly reading: ConditionReading },
): PathDiagnostic[] {
  const written = asString(operator) ?? "";
  const spelled = operatorNames().find((name) => name.toLowerCase() === written.toLowerCase());
  const current = reading === "described" && spelled !== undefined && Object.hasOwn(formerNames, spelled)
    ? formerNames[spelled]
    : undefined;
  const meant = current ?? spelled;
  // An unknown operator is a problem of the rule.
  if (meant === undefined || (current === undefined && names.has(written))) return [];
  return [{
    ...refusal(path, `entered value of \`operator\` is invalid: "${written}"`, `write "${meant}"`),
    replacement: { written, meant },
  }];
}

/** The operation of a request is compared with those that exist. A variable may be any of them. */
function valueRefusals(condition: Json, path: DocumentPath): PathDiagnostic[] {
  const key = field(condition, "key"), value = field(condition, "value") ?? null;
  if (value === null || !isString(key) || key.replaceAll(" ", "") !== "{{request.operation}}") return [];
  if (isString(value) && value.startsWith("{{") && value.endsWith("}}")) return [];
  return (isList(value) ? value : [value]).flatMap((each) => {
    if (admissionOperations.some((operation) => operation === each)) return [];
    return [refusal(
      path,
      `unknown value ${JSON.stringify(each)} found under the 'value' field: no request has this operation`,
      choosing(isString(each) ? each : "", admissionOperations).hint,
    )];
  });
}
