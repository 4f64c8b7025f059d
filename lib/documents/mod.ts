/**
 * Documents parsed into policies and exceptions, once: older spellings, defaults, autogen rules, and the problems of
 * documents. The tables of rule kinds and of context entries say which fields there are; schemas are made from them.
 *
 * `read_document.ts` chooses the parser: `classic_policy.ts`, `cel_policy.ts` or `exception.ts`. `autogen.ts` derives
 * the rules for pod controllers, `spelling.ts` reads older spellings. `refusals/` finds what
 * Kyverno would refuse to store, `author_notes.ts` what it would warn of.
 *
 * @module
 */
export { admissionPolicyProblems } from "./admission_policy_checks.ts";
export { authorNotes } from "./author_notes.ts";
export { readDocument, type ReadObject } from "./read_document.ts";
export { parsePolicy } from "./classic_policy.ts";
export { type PolicySet, policySet, readPolicies } from "./policy_set.ts";
export { parseCelPolicy } from "./cel_policy.ts";
export { metadataRefusals } from "./refusals/metadata.ts";
export { idleParts, missingFields } from "./refusals/missing_fields.ts";
export { exemptedControls } from "./refusals/pod_security.ts";
export { refusedWarningCodes } from "./refusals/warnings.ts";
export { refusals } from "./refusals/refusals.ts";
export { autogenTexts, countRules } from "./written_rules.ts";
export { specShapeOf } from "./described_kinds.ts";
export { policySchemas } from "./json_schema.ts";
export { fieldNote, fieldNotes } from "./field_note.ts";
export { exceptionSpecShape, policySpecShape } from "./spec_shape.ts";
