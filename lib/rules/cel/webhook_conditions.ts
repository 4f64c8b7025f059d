import { kubernetesLibraries } from "../../cel/mod.ts";
import type { PathDiagnostic } from "../../diagnostics/mod.ts";
import { isFault, type JsonObject } from "../../json/mod.ts";
import type { Need } from "../../context/mod.ts";
import type { RuleInput } from "../rule_kind.ts";
import { authorizerVariables } from "./authorizer.ts";
import { CelEvaluation } from "./evaluation.ts";
import { ExpressionSet } from "./expressions.ts";
import { requestHost } from "./world.ts";
import { compileMatchConditions, kubernetesTexts } from "./match_conditions.ts";
import { admissionRoots, admissionVariables } from "./roots.ts";

/**
 * `webhookConfiguration.matchConditions` of a policy: the policy is only asked about requests for which all of them
 * hold. Kyverno parity: a condition that cannot be evaluated does not hold.
 */
export function compileWebhookConditions(
  written: readonly JsonObject[],
  { report, need }: { report(problem: PathDiagnostic): void; need(need: Need): void },
): ((input: RuleInput) => boolean) | undefined {
  if (written.length === 0) return undefined;
  const { object, oldObject, request } = admissionVariables;
  const expressions = new ExpressionSet({
    variables: { object: object!, oldObject: oldObject!, request: request!, ...authorizerVariables },
    libraries: kubernetesLibraries,
    literals: "homogeneous",
    report,
    need,
  });
  const conditions = compileMatchConditions([...written], expressions, {
    path: ["spec", "webhookConfiguration", "matchConditions"],
    texts: kubernetesTexts,
  });
  return (input) => {
    const evaluation = new CelEvaluation({
      roots: admissionRoots(input),
      variables: [],
      host: requestHost(input),
    });
    const holds = conditions(evaluation);
    return !isFault(holds) && holds;
  };
}
