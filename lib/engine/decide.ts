import { diff } from "../patch/mod.ts";
import type { FailurePolicy } from "../policy/mod.ts";
import type { Decision, PolicyResult, RuleResult } from "./decision.ts";
import type { PolicyRequest } from "./request.ts";

/** The decision that results amount to; the patch leads from the request's object to the one that they left. */
export function decide(
  request: PolicyRequest,
  state: Pick<Decision, "results" | "object" | "effects" | "failurePolicy">,
): Decision {
  const denial = denialOf(state.results, state.failurePolicy);
  const changed = denial === undefined && state.object !== undefined && state.object !== request.object;
  return {
    ...state,
    uid: request.uid,
    allowed: denial === undefined,
    denial,
    object: changed ? state.object : request.object,
    patch: changed ? diff(request.object ?? {}, state.object!) : [],
  };
}

/** Kyverno parity: an error of a rule about images refuses the request even where the rule only audits. */
function isAboutImages({ type }: RuleResult): boolean {
  return type === "verifyImages" || type === "checkImages";
}

/**
 * Kyverno parity: one policy with failurePolicy Fail makes the errors of all policies of the request block. A rule that
 * could not even be loaded answers to its own policy alone.
 */
function denialOf(results: readonly PolicyResult[], strictest: FailurePolicy): Decision["denial"] {
  for (const { policy, rules } of results) {
    for (const rule of rules) {
      // What rules do to other objects is no reason to refuse this one.
      if (rule.type === "generate" || rule.type === "mutateExisting") continue;
      if (rule.type === "mutate") {
        if (rule.result === "error" && policy.failurePolicy === "Fail") return "mutate";
      } else if (rule.action === "Enforce" || isAboutImages(rule)) {
        const isClassic = policy.kind === "ClusterPolicy" || policy.kind === "Policy";
        const judge = rule.unusable || !isClassic ? policy.failurePolicy : strictest;
        if (rule.action === "Enforce" && (rule.result === "fail" || rule.blocks)) return "validate";
        if (rule.result === "error" && judge === "Fail") return "validate";
      }
    }
  }
  return undefined;
}
