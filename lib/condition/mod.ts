/**
 * Conditions: `{key, operator, value, message}` in lists and in `any`/`all` blocks, as in preconditions, deny
 * conditions, attestations, exceptions and cleanup policies. Keys and values are templates; everything else, and
 * every value without variables, is prepared when the policy is loaded. The result has the messages of the conditions
 * that decided it.
 *
 * It does not know rules: `lib/rules` decides what a failed condition means and completes the message of a fault.
 * Messages are returned as the policy has them, with their variables.
 *
 * @module
 */
export { compileConditions, type ConditionOptions, type Conditions } from "./conditions.ts";
export { conditionCompilations } from "./counters.ts";
export type { Observe, ObservedCondition } from "./observation.ts";
export { operatorNotes } from "./operators/operator_notes.ts";
export { operatorNames } from "./operators/table.ts";
export type { ConditionVerdict } from "./verdict.ts";
