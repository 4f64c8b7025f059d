import type { Conditions, Observe } from "../condition/mod.ts";
import type { ConditionOwner, Context } from "../context/mod.ts";
import { type DocumentPath, type Fault, isFault, type Json } from "../json/mod.ts";
import type { RuleTools } from "./rule_kind.ts";

/** Compiles a rule's conditions and reports their problems; `undefined` when they cannot be compiled. */
export function ruleConditions(
  written: Json | undefined,
  tools: Pick<RuleTools, "conditions" | "dialect" | "report" | "variables">,
  path: DocumentPath,
): Conditions | undefined {
  const conditions = tools.conditions.of(written ?? null, tools.dialect);
  reportConditions(conditions, tools, path);
  if (isFault(conditions)) return undefined;
  tools.variables(conditions.uses, path);
  return conditions;
}

/** Reports the problems of conditions: a fault as an error. */
export function reportConditions(
  conditions: Conditions | Fault,
  { report }: Pick<RuleTools, "report">,
  path: DocumentPath,
): void {
  if (isFault(conditions)) {
    report({ severity: "error", code: "bad-conditions", message: conditions.message, path });
  } else {
    for (const problem of conditions.problems) report({ ...problem, path: [...path, ...problem.path] });
  }
}

/** The observer of the conditions in a context; `undefined` unless the request is explained. */
export function observed(owner: ConditionOwner, { tracker: { observer } }: Context): Observe | undefined {
  return observer && ((condition) => observer.condition(owner, condition));
}
