import { compileConditions, type ConditionOptions, type ConditionVerdict } from "../../lib/condition/mod.ts";
import { isFault, type Json, scopeOf } from "../../lib/json/mod.ts";

/** Time stands still. */
export const environment = { now: () => 0, random: () => 0 };

/** Evaluates conditions on data; a fault becomes its message. */
export function verdictOf(
  conditions: Json,
  data: Json,
  options: Partial<ConditionOptions> = {},
): ConditionVerdict | string {
  const compiled = compileConditions(conditions, { dialect: "current", evaluator: "rule", ...options });
  if (isFault(compiled)) return compiled.message;
  const verdict = compiled.evaluate(scopeOf(data), environment);
  return isFault(verdict) ? verdict.message : verdict;
}

/** How a key comes into a condition: written in the policy, or by a variable from the request. */
export type Origin = "written" | "from data";

/** Whether one condition holds. */
export function holds(key: Json, operator: string, value: Json, origin: Origin = "written"): boolean {
  const written = { key: origin === "written" ? key : "{{ key }}", operator, value };
  const verdict = verdictOf([written], { key });
  if (typeof verdict === "string") throw new Error(verdict);
  return verdict.holds;
}
