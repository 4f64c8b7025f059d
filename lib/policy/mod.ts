/**
 * Policies as data: reading ClusterPolicy, Policy and PolicyException of kyverno.io, older spellings, defaults, the
 * rules generated for pod controllers, and what is wrong with a document. It does not read expressions: rules do.
 * CEL kinds are only recognised here and handed on.
 *
 * @module
 */
export { type LocatedDocument, type PolicySet, readPolicies } from "./documents.ts";
export { autogenRules, type RuleSource } from "./autogen.ts";
export { checkShape } from "./check_shape.ts";
export { parseException } from "./exception.ts";
export { type ParsedPolicy, parsePolicy } from "./parse.ts";
export { modernMatch } from "./spelling.ts";
export { policySpecShape, type Shape } from "./shape.ts";
export type {
  ActionOverride,
  ExceptionTarget,
  FailureAction,
  FailurePolicy,
  Locate,
  Policy,
  PolicyException,
  Rule,
} from "./policy.ts";
