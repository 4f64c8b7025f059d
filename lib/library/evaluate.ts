import { decideReview, type Snapshot } from "../engine/mod.ts";
import type { Json } from "../json/mod.ts";
import { parseReview } from "../kube/mod.ts";
import type { Ports } from "../ports.ts";
import { offlinePorts } from "./offline_ports.ts";
import { decidedReview, type ReviewDecision } from "./review_decision.ts";

/** The ports and the time limit of deciding a review. */
export interface EvaluateReviewOptions {
  /** The ports that policies may use. A port that is not given is offline, see {@link offlinePorts}. */
  readonly ports?: Partial<Ports>;
  /**
   * Milliseconds for the whole decision: loads end then, and rules that have not run answer with an error. Without it
   * there is no limit.
   */
  readonly timeout?: number;
}

/**
 * Decides an AdmissionReview v1 as two webhooks do: first the mutations, then the validations of the mutated object.
 * The review is what `JSON.parse` returns, under any type that a client library has for it. A value that is not an
 * AdmissionReview is denied with a message. It never throws, whatever a policy or a review holds.
 */
export async function evaluate(
  policies: Snapshot,
  review: unknown,
  { ports, timeout }: EvaluateReviewOptions = {},
): Promise<ReviewDecision> {
  const parsed = parseReview(review as Json);
  if (!parsed.ok) return { kind: "unreadable", allowed: false, uid: parsed.uid, message: parsed.message };
  const { request } = parsed.review;
  let signal: AbortSignal | undefined;
  const decisions = await decideReview(policies, request, {
    ports: { ...offlinePorts(), ...ports },
    ...(timeout !== undefined &&
      { budget: timeout, deadline: () => signal ??= AbortSignal.timeout(timeout) }),
  });
  return decidedReview(request, decisions);
}
