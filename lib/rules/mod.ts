/**
 * The kinds of rules. Each is a record that parses the body of a rule and compiles it. A compiled body runs for one
 * request and returns an outcome. Bodies change nothing: changes to the cluster are effects in the outcome.
 *
 * `kinds/` has the bodies of classic rules by their fields (`pattern`, `deny`, `foreach`, `mutate`, …), `policy_kinds/`
 * the policies in CEL by their kinds. The files here are the larger evaluations of both: `generate.ts` and
 * `downstream_plan.ts`, `mutation.ts` and `mutate_existing.ts`, `validate_cel.ts`. Folders hold what is larger still:
 * `pod_security/` the controls, `verify_images/` and `manifests/` signatures, `assertion/` assertion trees, `cel/` the
 * variables and external calls of expressions.
 *
 * @module
 */
export {
  bodiesOf,
  type BodyOf,
  compileBodies,
  kindNotes,
  kindOf,
  namesWithin,
  parseBody,
  type RuleBody,
  ruleKinds,
  sectionShape,
} from "./kinds/table.ts";
export {
  type Effect,
  effectsOf,
  error,
  exceptionsOf,
  fail,
  failedPath,
  type Outcome,
  type OutcomeList,
  pass,
  patchedObject,
  planErrorsOf,
  skip,
} from "./outcome.ts";
export {
  changesOthers,
  type CompiledBody,
  isValidating,
  type PhaseTraits,
  type RuleInput,
  type RuleTools,
  type RuleType,
} from "./rule_kind.ts";
export {
  compileJsonPolicy,
  compileTree,
  failureText,
  type JsonPolicy,
  type JsonRuleResult,
  standardCompilers,
  violationText,
} from "./assertion/mod.ts";
export { celRuleSpecs } from "./cel_rule_specs.ts";
export { CompiledConditions } from "./compiled_conditions.ts";
export { MutationConflicts } from "./mutation_conflicts.ts";
export type { MutationConflict } from "./rule_kind.ts";
export { ruleConditions } from "./conditions.ts";
export { compileContext } from "./loop.ts";
export {
  cloneLabels,
  cloneSourceLabel,
  type GeneratingRule,
  ownerOf,
  type OwnerReference,
  released,
  sourceOf,
} from "./owner_labels.ts";
export { copiedOnto, keeping, manifestOf, replacing } from "./generated_manifest.ts";
export { isMadeBy, isSameOwner, madeLabels } from "./generating_rule.ts";
export { targetsOf } from "./generate_targets.ts";
export { type ClusterObjects, objectsInCluster, referenceTo } from "./cluster_objects.ts";
export { apiServerEvaluates, compileWebhookConditions, typeProblems } from "./cel/mod.ts";
export {
  type PolicyKind,
  policyKindNames,
  policyKindsOf,
  type PolicyTools,
  rankOf,
  ruleTypesOf,
} from "./policy_kinds/mod.ts";
export { ruleImageExtractors } from "./image_extractors.ts";
export { annotated, type ScopedNotes, withoutNotes } from "./verify_images/mod.ts";
export { controlNames } from "./validate_pod_security.ts";
