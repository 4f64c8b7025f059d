import type { Conditions, Observe } from "../condition/mod.ts";
import type { ConditionOwner, Context } from "../context/mod.ts";
import { type DocumentPath, isFault, type Json } from "../json/mod.ts";
import type { RuleTools } from "./rule_kind.ts";

/** Compiles a rule's conditions and reports their problems. A fault is reported as an error. */
export function ruleConditions(
  written: Json | undefined,
  tools: Pick<RuleTools, "conditions" | "dialect" | "report" | "variables">,
  path: DocumentPath,
): Conditions | undefined {
  const conditions = tools.conditions.of(written ?? null, tools.dialect);
  if (isFault(conditions)) {
    tools.report({ severity: "error", code: "bad-conditions", message: conditions.message, path });
    return undefined;
  }
  for (const problem of conditions.problems) {
    tools.report({ ...problem, path: [...path, ...problem.path] });
  }
  tools.variables(conditions.uses, path);
  return conditions;
}

/** The observer of the conditions in a context; `undefined` unless the request is explained. */
export function observed(owner: ConditionOwner, { tracker: { observer } }: Context): Observe | undefined {
  return observer && ((condition) => observer.condition(owner, condition));
}
