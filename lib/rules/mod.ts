/**
 * The kinds of rules. Each is a record that parses the body of a rule and compiles it. A compiled body runs for one
 * request and returns an outcome. Bodies change nothing: changes to the cluster are effects in the outcome.
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
  type TypedBody,
} from "./kinds/table.ts";
export {
  type Effect,
  effectsOf,
  error,
  exceptionsOf,
  fail,
  failedPath,
  type ImageFindings,
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
  type Downstream,
  judges,
  type ObjectType,
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
export { CompiledConditions } from "./compiled_conditions.ts";
export { ruleConditions } from "./conditions.ts";
export { compileContext } from "./loop.ts";
export {
  cloneLabels,
  cloneSourceLabel,
  copiedOnto,
  keeping,
  type MakerReference,
  manifestOf,
  ownerOf,
  type OwnerReference,
  released,
  replacing,
  sourceOf,
} from "./downstream.ts";
export { isMadeBy, isSameOwner, madeLabels } from "./generated_labels.ts";
export { targetsOf } from "./generate_targets.ts";
export { type ClusterObjects, objectsInCluster } from "./cluster_objects.ts";
export {
  apiServerEvaluates,
  compileWebhookConditions,
  type ObjectTypes,
  type TypeProblem,
  typeProblems,
} from "./cel/mod.ts";
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
