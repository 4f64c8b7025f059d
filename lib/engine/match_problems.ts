import { didYouMean, type PathDiagnostic } from "../diagnostics/mod.ts";
import { type DocumentPath, isFault, isList, isObject, isString, type Json } from "../json/mod.ts";
import { admissionOperations, compileLabelSelector } from "../kube/mod.ts";
import type { MatchBlock, Rule } from "../policy/mod.ts";

/** The problems of a rule's match and exclude. Those that its autogen rules share are reported for the written rule. */
export function matchProblems(rule: Rule): PathDiagnostic[] {
  return (["match", "exclude"] as const).flatMap((name) => {
    const block = rule[name];
    if (block === undefined) return [];
    return [
      ...variableProblems(block, name),
      ...(rule.generatedFor === undefined ? filterProblems(block, name) : []),
    ];
  });
}

/** Match and exclude are evaluated before the context loads, so they cannot have variables. */
function variableProblems({ written }: MatchBlock, name: string): PathDiagnostic[] {
  return textsWithVariables(written, [name]).map((path) => ({
    severity: "error",
    code: "variable-in-match",
    message: `Variables are not possible in ${name}`,
    hint: "use preconditions for what depends on the request",
    path,
  }));
}

function textsWithVariables(value: Json | undefined, path: (string | number)[]): (string | number)[][] {
  if (isString(value)) return /\{\{|\$\(/.test(value) ? [path] : [];
  if (isList(value)) return value.flatMap((item, index) => textsWithVariables(item, [...path, index]));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => textsWithVariables(inner, [...path, name]));
}

/** Criteria that no object satisfies: the rule would never apply, or exclude nothing, and nothing would say so. */
function filterProblems({ form, filters }: MatchBlock, name: string): PathDiagnostic[] {
  return filters.flatMap(({ resources }, index) => {
    const path = [...(form === "direct" ? [name] : [name, form, index]), "resources"];
    return [
      ...selectorProblems(resources.selector, [...path, "selector"]),
      ...selectorProblems(resources.namespaceSelector, [...path, "namespaceSelector"]),
      ...resources.operations.flatMap((operation) => operationProblems(operation, [...path, "operations"])),
    ];
  });
}

function selectorProblems(selector: Json | undefined, path: DocumentPath): PathDiagnostic[] {
  const compiled = selector === undefined ? undefined : compileLabelSelector(selector, { wildcards: true });
  if (!isFault(compiled)) return [];
  const message = `The selector selects nothing: ${compiled.message}`;
  return [{ severity: "warning", code: "bad-selector", message, path }];
}

function operationProblems(operation: string, path: DocumentPath): PathDiagnostic[] {
  if (admissionOperations.some((each) => each === operation)) return [];
  const meant = didYouMean(operation, admissionOperations);
  const hint = meant === undefined
    ? `use one of ${admissionOperations.join(", ")}`
    : `did you mean "${meant}"?`;
  const message = `No request has the operation "${operation}"`;
  return [{ severity: "warning", code: "unknown-operation", message, hint, path }];
}
