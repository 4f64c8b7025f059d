/**
 * Postern for programs: policies from text, decisions about AdmissionReviews, and responses. It needs nothing that a
 * browser or an edge runtime lacks: no `Deno` global, no `node:` module, no file, no network of its own.
 *
 * It does not carry out what rules do to other objects (generate, mutateExisting), and has no resource filters: every
 * review that it is given is decided.
 *
 * @module
 */
export { admissionResponse } from "./admission_response.ts";
export { evaluate, type EvaluateReviewOptions } from "./evaluate.ts";
export {
  loadPolicies,
  type LoadPoliciesOptions,
  type PoliciesOfText,
  type PolicyText,
} from "./load_policies.ts";
export { offlinePorts } from "./offline_ports.ts";
export type { DecidedReview, ReviewDecision, UnreadableReview } from "./review_decision.ts";
