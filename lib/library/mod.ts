/**
 * Postern for programs: policies from text, decisions about AdmissionReviews, and responses. It runs in browsers and
 * edge runtimes: it uses no `Deno` global, no `node:` module, no files and no network.
 *
 * It does not carry out effects on other objects (generate, mutateExisting), and has no resource filters: it decides
 * every review.
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
export {
  type DecidedReview,
  decidedReview,
  type ReviewDecision,
  type UnreadableReview,
} from "./review_decision.ts";
