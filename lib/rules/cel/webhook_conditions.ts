import { boolType, createEnvironment, kubernetesLibraries, sameType } from "../../cel/mod.ts";
import type { PathDiagnostic } from "../../diagnostics/mod.ts";
import { isFault, type JsonObject } from "../../json/mod.ts";
import type { LoadTracker, Need } from "../../context/mod.ts";
import type { RuleInput } from "../rule_kind.ts";
import { authorizerVariables } from "./authorizer.ts";
import { CelEvaluation, type CelEvaluationOptions } from "./evaluation.ts";
import { ExpressionSet } from "./expressions.ts";
import { requestHost } from "./request_calls.ts";
import { compileMatchConditions, kubernetesTexts } from "./match_conditions.ts";
import { admissionRoots, admissionVariables } from "./roots.ts";

const { object, oldObject, request } = admissionVariables;

/**
 * The environment of a webhook's match conditions (Kubernetes API): no `namespaceObject`, no variables, no functions
 * of Kyverno.
 */
const conditionSetting = {
  variables: { object: object!, oldObject: oldObject!, request: request!, ...authorizerVariables },
  libraries: kubernetesLibraries,
  literals: "homogeneous",
} as const;

/**
 * Compiles `webhookConfiguration.matchConditions` of a policy: the policy is evaluated only for requests that satisfy
 * all of them. Kyverno parity: a condition that cannot be evaluated does not hold. Pinned by "matchConditions of the
 * webhook decide whether the policy is evaluated; one with an error skips it".
 */
export function compileWebhookConditions(
  written: readonly JsonObject[],
  { report, need }: { report(problem: PathDiagnostic): void; need(need: Need): void },
): ((input: RuleInput) => boolean) | undefined {
  if (written.length === 0) return undefined;
  const expressions = new ExpressionSet({ ...conditionSetting, report, need });
  const conditions = compileMatchConditions([...written], expressions, {
    path: ["spec", "webhookConfiguration", "matchConditions"],
    texts: kubernetesTexts,
  });
  return (input) => {
    const evaluation = new CelEvaluation({
      roots: admissionRoots(input),
      variables: [],
      host: requestHost(input),
      tracker: countOnly(input.context.tracker),
    });
    const holds = conditions(evaluation);
    return !isFault(holds) && holds;
  };
}

/** Counts the work, and does not shorten it: a condition that cannot be evaluated skips its policy. */
function countOnly(tracker: LoadTracker): CelEvaluationOptions["tracker"] {
  return { observer: undefined, areStepsUsedUp: false, charge: (steps) => tracker.charge(steps) };
}

const environment = createEnvironment(conditionSetting);

/** Whether the API server accepts an expression as a match condition of a webhook. */
export function apiServerEvaluates(expression: string): boolean {
  const compiled = environment.compile(expression);
  return compiled.ok && sameType(compiled.program.type, boolType);
}
