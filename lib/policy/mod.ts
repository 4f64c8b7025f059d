/**
 * Policies as types, and the parsers of the parts that several kinds of rules and policies have: match blocks, signers,
 * the sections of CEL policies. `lib/documents` parses whole documents.
 *
 * @module
 */
export {
  autogenPrefix,
  cronJobPrefix,
  isAutogenName,
  isRuleNamed,
  writtenRuleName,
} from "./autogen_names.ts";
export { cleanupValidation } from "./cleanup_validation.ts";
export { type CelException, isCelException, parseCelException } from "./cel_exception.ts";
export { celGroup, type CelKind, celKinds, clusterWideKind, inBothScopes } from "./cel_kinds.ts";
export { podControllerSpecs, rewriteText } from "./cel_autogen.ts";
export { type CelSections, type ConstraintSection, parseCelSections } from "./cel_sections.ts";
export { type LocatedDocument } from "./located_document.ts";
export {
  type MatchBlock,
  type MatchFilter,
  parseMatch,
  type ResourceCriteria,
  ruleFilters,
  userCriteria,
  type WrittenFilter,
  writtenFilters,
  writtenUserCriteria,
} from "./match_block.ts";
export { hasYamlPatches, withJsonPatches } from "./patch_texts.ts";
export {
  autogenHindrance,
  controllersAnnotation,
  isAboutPods,
  isForControllers,
  isPod,
  podControllers,
} from "./pod_controllers.ts";
export { namespaceOfKey, policyKey } from "./policy_key.ts";
export type {
  ActionOverride,
  CelPolicy,
  ClassicPolicy,
  EmptyBody,
  ExpressionsBody,
  FailureAction,
  FailurePolicy,
  ParsedBody,
  Policy,
  PolicyException,
  Rule,
} from "./policy.ts";
export { type Section, sections } from "./section.ts";
export { attestorSetShape, registryCredentialsShape } from "./attestor_shape.ts";
export type { AttestorSet, SignerEntry, WrittenEntry } from "./image_attestors.ts";
export { attestorSetsOf, logTrustOf, publicKeySecret, writtenEntries } from "./image_attestors.ts";
export { imageProblems, setProblems } from "./image_checks.ts";
export {
  failureActionOfImages,
  type ImageAttestation,
  type ImageVerification,
  imageVerificationOf,
  isCheckedAtValidation,
  modernEntry,
} from "./image_verification.ts";
export {
  answersRequests,
  type PolicyObjectKind,
  policyObjectKinds,
  type PolicyObjectRole,
} from "./policy_object_kinds.ts";
export { hasRules } from "./rule_kinds.ts";
export { CompiledWeights } from "./compiled_weight.ts";
export { roomProblem } from "./policy_room.ts";
export { type BudgetedDocuments, denialOf, PolicyBudget } from "./policy_budget.ts";
export { isHeavy, isTooHeavy, tooHeavy, weightOf } from "./policy_weight.ts";
