import type { Decision, DenyingResult, ReviewDecisions } from "../engine/mod.ts";
import type { JsonObject } from "../json/mod.ts";
import type { AdmissionRequest } from "../kube/mod.ts";
import type { PatchOperation } from "../patch/mod.ts";

/** The result of evaluating policies for a review. */
export type ReviewDecision = DecidedReview | UnreadableReview;

/** The decision of the policies. */
export interface DecidedReview {
  readonly kind: "decided";
  readonly allowed: boolean;
  readonly request: AdmissionRequest;
  /** The results that deny the request; none when it is allowed. */
  readonly denying: readonly DenyingResult[];
  /** The object after the mutations; `undefined` when the request has none, as for DELETE. */
  readonly object: JsonObject | undefined;
  /**
   * The patch from the request's object to {@link object}; empty when nothing changed, and when the request is
   * denied.
   */
  readonly patch: readonly PatchOperation[];
  readonly mutation: Decision;
  /** The decision about the mutated object; `undefined` when mutations denied the request. */
  readonly validation: Decision | undefined;
}

/** The value is not an AdmissionReview, so the decision denies it. */
export interface UnreadableReview {
  readonly kind: "unreadable";
  readonly allowed: false;
  /** The uid of the request, as far as it can be read; otherwise empty. */
  readonly uid: string;
  /** The problem of the review. */
  readonly message: string;
}

/** The decision that both webhooks make together: the API server calls the second only when the first allows. */
export function decidedReview(request: AdmissionRequest, decisions: ReviewDecisions): DecidedReview {
  const { mutation } = decisions;
  const validation = mutation.allowed ? decisions.validation : undefined;
  const last = validation ?? mutation;
  return {
    kind: "decided",
    request,
    allowed: last.allowed,
    denying: last.denying,
    object: mutation.object,
    patch: last.allowed ? mutation.patch : [],
    mutation,
    validation,
  };
}
