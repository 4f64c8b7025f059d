/**
 * Policies as data: reading ClusterPolicy, Policy and PolicyException of kyverno.io, older spellings, defaults, the
 * rules generated for pod controllers, and what is wrong with a document. It does not read expressions: rules do.
 * Of the kinds that are written in CEL it reads what they have in common.
 *
 * @module
 */
export { type LocatedDocument, type PolicySet, readPolicies } from "./documents.ts";
export { type CelException, parseCelException } from "./cel_exception.ts";
export { podControllerSpecs, type Rewrite, rewriteText } from "./cel_autogen.ts";
export { type CelPolicy, type CelPolicyForm, parseCelPolicy } from "./cel_policy.ts";
export { autogenRules, type RuleSource } from "./autogen.ts";
export { type ParsedPolicy, parsePolicy } from "./parse.ts";
export type { Shape } from "./shape.ts";
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
