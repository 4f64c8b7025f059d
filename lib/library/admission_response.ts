import { policyRequest } from "../engine/mod.ts";
import { type AdmissionResponse, admissionResponse as responseOf, reviewedResource } from "../report/mod.ts";
import type { ReviewDecision } from "./review_decision.ts";

/**
 * The `response` of an AdmissionReview. A denial has Kyverno's message. An allowed request has the patch of the
 * mutations, and the warnings and audit annotations of both phases. `admissionReview` puts it into a review.
 */
export function admissionResponse(decision: ReviewDecision): AdmissionResponse {
  if (decision.kind === "unreadable") {
    const { uid, message } = decision;
    return { uid, allowed: false, status: { status: "Failure", message, code: 400 } };
  }
  const resource = reviewedResource(policyRequest(decision.request));
  const mutation = responseOf(decision.mutation, resource);
  if (decision.validation === undefined) return mutation;
  const validation = responseOf(decision.validation, resource);
  const auditAnnotations = { ...mutation.auditAnnotations, ...validation.auditAnnotations };
  const annotated = Object.keys(auditAnnotations).length === 0 ? {} : { auditAnnotations };
  if (!validation.allowed) return { ...validation, ...annotated };
  const warnings = [...mutation.warnings ?? [], ...validation.warnings ?? []];
  return { ...mutation, ...annotated, ...(warnings.length > 0 && { warnings }) };
}
