import { kubernetesLibraries } from "../../cel/mod.ts";
import { asObject, field, isFault, type Json, type JsonObject } from "../../json/mod.ts";
import {
  compileAuditAnnotations,
  compileMatchConditions,
  compileValidations,
  kubernetesTexts,
} from "../cel/mod.ts";
import { error, type Outcome, skip } from "../outcome.ts";
import type { CompiledBody, RuleInput } from "../rule_kind.ts";
import { admissionEvaluation, admissionExpressions, bodyForParameters } from "./admission_policy.ts";
import type { PolicyKind, PolicyTools } from "./policy_kind.ts";

/** `ValidatingAdmissionPolicy` of Kubernetes, one rule for each of its bindings. */
export const validatingAdmissionPolicy: PolicyKind = {
  group: "admissionregistration.k8s.io",
  kinds: ["ValidatingAdmissionPolicy"],
  type: "validate",
  name: "validating admission policy",
  section: "validate",
  ruleName: "policy",
  variants: () => [],
  constraints: (spec) => asObject(field(spec, "matchConstraints")),
  compile,
};

function compile(spec: JsonObject, tools: PolicyTools): CompiledBody {
  const expressions = admissionExpressions(spec, tools, kubernetesLibraries);
  const conditions = compileMatchConditions(field(spec, "matchConditions"), expressions, {
    path: ["spec", "matchConditions"],
    texts: kubernetesTexts,
    namespaceObject: "null",
  });
  const validate = compileValidations(field(spec, "validations"), expressions, {
    path: ["spec", "validations"],
  });
  const annotate = compileAuditAnnotations(field(spec, "auditAnnotations"), expressions, {
    path: ["spec", "auditAnnotations"],
  });
  const { name, failurePolicy } = tools.policy;
  // Kubernetes parity: conditions that fail pass the policy over then. Pinned by "skip under failurePolicy Ignore where
  // they fail".
  const atFault = failurePolicy === "Ignore" ? unmet : undefined;
  return bodyForParameters(spec, runForEach);

  /**
   * Runs until a parameter denies the request: an error may be one that the failurePolicy ignores, and match conditions
   * read parameters.
   */
  function runForEach(input: RuleInput, parameters: readonly Json[]): Outcome | undefined {
    let gravest: Outcome | undefined;
    for (const parameter of parameters) {
      const outcome = run(input, parameter);
      if (outcome.result === "fail") return outcome;
      if (isGraver(outcome, gravest)) gravest = outcome;
    }
    return gravest;
  }

  function run(input: RuleInput, parameter: Json): Outcome {
    const evaluation = admissionEvaluation(expressions, input, { parameter });
    const applies = conditions(evaluation);
    if (isFault(applies)) return atFault ?? error(applies.message);
    if (!applies) return unmet;
    const verdict = validate(evaluation);
    const outcome: Outcome = verdict.result === "pass" ? { ...verdict, message: "" } : verdict;
    const annotations = annotate(evaluation);
    if (isFault(annotations)) return outcome.result === "pass" ? error(annotations.message) : outcome;
    const named = Object.entries(annotations).map(([key, value]) => [`${name}/${key}`, value]);
    return named.length === 0 ? outcome : { ...outcome, auditAnnotations: Object.fromEntries(named) };
  }
}

/** Whether an outcome counts more than those of the parameters before it. An error counts most. */
function isGraver({ result }: Outcome, before: Outcome | undefined): boolean {
  return before === undefined || result === "error" || (before.result !== "error" && result !== "skip");
}

const unmet = skip("match conditions aren't met");
