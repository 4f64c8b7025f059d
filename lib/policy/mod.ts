/**
 * Policies as data: parses ClusterPolicy, Policy and PolicyException of kyverno.io with older spellings and defaults,
 * derives autogen rules, and reports the problems of documents. It does not compile expressions; `lib/rules` does. Of
 * CEL policies it parses the fields that all kinds share.
 *
 * @module
 */
export { admissionPolicyProblems } from "./admission_policy_checks.ts";
export { type LocatedDocument, readDocument, type ReadObject } from "./documents.ts";
export { type PolicySet, policySet, readPolicies } from "./policy_set.ts";
export { type CelException, parseCelException } from "./cel_exception.ts";
export { podControllerSpecs, type Rewrite, rewriteText } from "./cel_autogen.ts";
export type { CelSections, ConstraintSection } from "./cel_sections.ts";
export { type CelPolicyForm, parseCelPolicy, type ParsedCelPolicy } from "./cel_policy.ts";
export {
  type AnyPatternCheck,
  type AssertBody,
  type BodyOf,
  type CelBody,
  type ChangeSpec,
  type CheckLoop,
  type DenyCheck,
  entriesWithin,
  type ForeachCheck,
  type GenerateBody,
  type GenerateEntry,
  type GeneratePatternSpec,
  type LoopSpec,
  type ManifestsBody,
  type MutateExistingBody,
  type MutateForeachBody,
  type PatchBody,
  type PatchLoop,
  type PatchSpec,
  type PatternCheck,
  type PodSecurityBody,
  type RuleBody,
  type Section,
  sectionOf,
  type TargetSpec,
  type Validation,
  type VerifyImagesBody,
} from "./bodies/mod.ts";
export { type MatchBlock, type MatchFilter, parseMatch, type ResourceCriteria } from "./match_block.ts";
export { autogenTexts, countRules, type RuleCount } from "./written_rules.ts";
export { type ParsedPolicy, parsePolicy } from "./parse.ts";
export { hasYamlPatches, withJsonPatches } from "./patch_texts.ts";
export { policySchemas, specShapeOf } from "./json_schema.ts";
export { exceptionSpecShape, policySpecShape } from "./spec_shape.ts";
export { policyKey, type PolicyName } from "./policy_key.ts";
export type {
  ActionOverride,
  CelPolicy,
  ClassicPolicy,
  ExceptionTarget,
  FailureAction,
  FailurePolicy,
  Policy,
  PolicyException,
  Rule,
} from "./policy.ts";
export type { AttestorEntry, AttestorSet, SignerEntry, WrittenEntry } from "./image_attestors.ts";
export { attestorSetsOf, publicKeySecret, writtenEntries } from "./image_attestors.ts";
export { imageProblems, setProblems } from "./image_checks.ts";
export {
  type ImageAttestation,
  type ImageVerification,
  imageVerificationOf,
  isCheckedAtValidation,
  modernEntry,
} from "./image_verification.ts";
export { hasRules } from "./rule_kinds.ts";
export { type BudgetedDocuments, denialOf, withinBudget } from "./policy_budget.ts";
export { isHeavy, isTooHeavy, tooHeavy } from "./policy_weight.ts";
