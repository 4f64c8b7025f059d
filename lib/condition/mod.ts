/**
 * Conditions: `{key, operator, value, message}` in lists and in `any`/`all` blocks, as preconditions, deny conditions,
 * attestations, exceptions and cleanup policies have them. Keys and values are templates; everything else, and every
 * value that the policy spells out, is prepared when the policy is loaded. The result carries the messages of the
 * conditions that decided it.
 *
 * It does not know where conditions stand: what a rule becomes when they fail, and the text in front of a fault, are
 * made above. Messages are passed on as they were written, variables and all.
 *
 * @module
 */
export { compileConditions, type ConditionOptions, type Conditions } from "./conditions.ts";
export { conditionCompilations } from "./counters.ts";
export type { Observe, ObservedCondition } from "./observation.ts";
export { operatorNames } from "./operators/table.ts";
export type { ConditionProblem } from "./problem.ts";
export type { Verdict } from "./verdict.ts";
