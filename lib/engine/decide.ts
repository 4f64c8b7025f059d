import { diff } from "../patch/mod.ts";
import type { FailurePolicy, Policy } from "../policy/mod.ts";
import type { Decision, DenyingResult, PolicyIdentity, PolicyResult, RuleResult } from "./decision.ts";
import type { PolicyRequest } from "./request.ts";

/** Makes the decision from results. The patch leads from the request's object to the mutated one. */
export function decide(
  request: PolicyRequest,
  state: Pick<Decision, "results" | "object" | "effects" | "failurePolicy">,
): Decision {
  const denying = denyingOf(state.results, state.failurePolicy);
  const allowed = denying.length === 0;
  const changed = allowed && state.object !== undefined && state.object !== request.object;
  return {
    ...state,
    uid: request.uid,
    allowed,
    denying,
    object: changed ? state.object : request.object,
    patch: changed ? diff(request.object ?? {}, state.object!) : [],
  };
}

/**
 * The failurePolicy of a request. Kyverno parity: one policy with failurePolicy Fail makes the errors of all policies
 * deny the request. Pinned by "one failurePolicy Fail makes the errors of all policies of the request block".
 */
export function strictestOf(
  policies: readonly { readonly policy: Pick<Policy, "failurePolicy"> }[],
): FailurePolicy {
  return policies.some(({ policy }) => policy.failurePolicy === "Fail") ? "Fail" : "Ignore";
}

/** The results that deny a request. */
function denyingOf(results: readonly PolicyResult[], strictest: FailurePolicy): readonly DenyingResult[] {
  let denying: DenyingResult[] | undefined;
  for (const { policy, rules } of results) {
    for (const rule of rules) if (denies(rule, policy, strictest)) (denying ??= []).push({ policy, rule });
  }
  return denying ?? none;
}

const none: readonly DenyingResult[] = [];

/**
 * Whether a result denies the request.
 *
 * Kyverno parity: one policy with failurePolicy Fail makes the errors of all policies of the request deny it; a rule
 * that could not be compiled, and a mutation, follow the failurePolicy of their policy alone; an error of a rule
 * about images denies the request even where the rule only audits. Pinned by "one failurePolicy Fail makes the errors
 * of all policies of the request block" and "a failure under Audit is recorded, and an error denies the request".
 */
function denies(rule: RuleResult, policy: PolicyIdentity, strictest: FailurePolicy): boolean {
  const { type, result, action } = rule;
  if (result !== "fail" && result !== "error") return false;
  const meaning = result === "error" ? rule.meaning : undefined;
  switch (type) {
    // A rule that changes other objects never denies the request for this object.
    case "generate":
    case "mutateExisting":
      return false;
    case "mutate":
      return result === "error" && policy.failurePolicy === "Fail";
    default: {
      const isEnforced = action === "Enforce";
      if (meaning === "unbound") return policy.failurePolicy === "Fail";
      if (isEnforced && (result === "fail" || meaning === "blocking")) return true;
      const isAudited = !isEnforced && (type === "validate" || policy.language !== "classic");
      if (result !== "error" || isAudited) return false;
      const deciding = meaning === "unusable" || policy.language !== "classic"
        ? policy.failurePolicy
        : strictest;
      return deciding === "Fail";
    }
  }
}
