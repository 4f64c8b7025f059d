import type { JsonObject } from "../json/mod.ts";
import type { AdmissionRequest } from "../kube/mod.ts";
import type { Ports } from "../ports.ts";
import type { Decision } from "./decision.ts";
import { evaluate, type EvaluateOptions } from "./evaluate.ts";
import type { WebhookPhase } from "./phase.ts";
import type { PolicyRequest } from "./request.ts";
import { policyRequest } from "./review_request.ts";
import type { Snapshot } from "./snapshot.ts";
import type { Trace } from "./trace.ts";

/** The decisions of both webhooks about a request: first the mutations, then the validations of the mutated object. */
export interface ReviewDecisions {
  readonly mutation: Decision;
  readonly validation: Decision;
}

/** The options of deciding a review. */
export interface DecideReviewOptions
  extends Pick<EvaluateOptions, "absent" | "deadline" | "budget" | "given"> {
  readonly ports: Ports;
  /** Makes the trace of each phase of a decision that is explained. */
  readonly trace?: () => Trace;
}

/**
 * Decides a request as the two webhooks do, one after the other. It evaluates validations even when mutations deny
 * the request, although the API server would not call the second webhook: explanations show both.
 */
export async function decideReview(
  snapshot: Snapshot,
  request: AdmissionRequest,
  options: DecideReviewOptions,
): Promise<ReviewDecisions> {
  const sent = policyRequest(request);
  const mutation = await decide("mutate", sent);
  const mutated = mutation.patch.length === 0 ? sent : withObject(sent, mutation.object);
  return { mutation, validation: await decide("validate", mutated) };

  async function decide(phase: WebhookPhase, about: PolicyRequest): Promise<Decision> {
    const { trace, ...rest } = options;
    if (trace === undefined) return await evaluate(snapshot, about, { ...rest, phase, rules: "admission" });
    return await evaluate(snapshot, about, { ...rest, phase, rules: "all", trace: trace() });
  }
}

function withObject(request: PolicyRequest, object: JsonObject | undefined): PolicyRequest {
  return { ...request, object, variable: { ...request.variable, object: object ?? null } };
}
