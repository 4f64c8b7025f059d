import type { PathDiagnostic } from "../diagnostics/mod.ts";
import {
  asList,
  asTexts,
  type DocumentPath,
  field,
  isFault,
  isList,
  isObject,
  isString,
  type Json,
  type JsonObject,
} from "../json/mod.ts";
import { compileLabelSelector, pluralOf } from "../kube/mod.ts";
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
    ];
  });
}

/**
 * The problems of a policy's `matchConstraints`: parts that select nothing, or that there are none. The API server
 * would refuse a webhook with such parts, with all other webhooks of its configuration.
 */
export function constraintProblems(constraints: JsonObject | undefined): PathDiagnostic[] {
  if (constraints === undefined) return [withoutConstraints];
  const path = ["spec", "matchConstraints"];
  return [
    ...["namespaceSelector", "objectSelector"].flatMap((name) =>
      selectorProblems(constraints[name], [...path, name], { wildcards: false }).map((
        problem,
      ): PathDiagnostic => ({
        ...problem,
        severity: "error",
      }))
    ),
    ...["resourceRules", "excludeResourceRules"].flatMap((list) =>
      asList(constraints[list]).flatMap((rule, index) => resourceRuleProblems(rule, [...path, list, index]))
    ),
  ];
}

/** Kyverno stores such a policy, which never acts, and does not say so. */
const withoutConstraints: PathDiagnostic = {
  severity: "warning",
  code: "empty-match",
  message: "The policy selects nothing: it has no matchConstraints",
  hint: "name resources under spec.matchConstraints.resourceRules",
  path: ["spec"],
};

function resourceRuleProblems(rule: Json, path: DocumentPath): PathDiagnostic[] {
  const missing = ["apiGroups", "apiVersions", "resources"].filter((name) =>
    asTexts(field(rule, name)).length === 0
  );
  return [
    ...missing.map((name): PathDiagnostic => ({
      severity: "error",
      code: "empty-match",
      message: `The rule selects nothing: it has no ${name}`,
      hint: name === "apiGroups" ? 'write "" for the group of Pods, "*" for all' : 'write "*" for all',
      path,
    })),
    ...asTexts(field(rule, "resources")).filter((text) => text !== text.toLowerCase()).map(
      (text): PathDiagnostic => {
        const [kind = ""] = text.split("/");
        return {
          severity: "warning",
          code: "misspelt-kind",
          message: `"${text}" selects nothing: resources are plurals in lower case`,
          hint: `write "${pluralOf(kind)}${text.slice(kind.length).toLowerCase()}"`,
          path: [...path, "resources"],
        };
      },
    ),
  ];
}

function selectorProblems(
  selector: Json | undefined,
  path: DocumentPath,
  options = { wildcards: true },
): PathDiagnostic[] {
  const compiled = selector === undefined ? undefined : compileLabelSelector(selector, options);
  if (!isFault(compiled)) return [];
  const message = `The selector selects nothing: ${compiled.message}`;
  return [{ severity: "warning", code: "bad-selector", message, path }];
}
