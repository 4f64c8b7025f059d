/**
 * The kinds of policies that are written in CEL as a whole: each is one rule, whose body is compiled from its spec.
 *
 * @module
 */
export type { PolicyKind, PolicyTools } from "./policy_kind.ts";
export { policyKindsOf, rankOf } from "./table.ts";
