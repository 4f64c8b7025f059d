/**
 * The kinds of CEL policies. Each is one rule, whose body is compiled from the spec.
 *
 * @module
 */
export type { PolicyKind, PolicyTools } from "./policy_kind.ts";
export { policyKindNames, policyKindsOf, rankOf, ruleTypesOf } from "./table.ts";
