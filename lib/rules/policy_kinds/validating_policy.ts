import {
  asList,
  asObject,
  asString,
  dig,
  field,
  isFault,
  isObject,
  type Json,
  type JsonObject,
} from "../../json/mod.ts";
import { inBothScopes, podControllerSpecs, rewriteText } from "../../policy/mod.ts";
import {
  type CelEvaluation,
  compileAuditAnnotations,
  compileMatchConditions,
  type ExpressionSet,
  kyvernoTexts,
} from "../cel/mod.ts";
import { error, fail, type Outcome, pass, skip } from "../outcome.ts";
import type { CompiledBody, RuleInput } from "../rule_kind.ts";
import { compileExemptions, onFaultOfValidation } from "./exceptions.ts";
import {
  defineVariables,
  kyvernoEvaluation,
  kyvernoExpressions,
  payloadRoots,
  properties,
} from "./kyverno_expressions.ts";
import type { PolicyKind, PolicyTools } from "./policy_kind.ts";
import { compileValidation } from "./validation.ts";

/** `ValidatingPolicy` of policies.kyverno.io, for Kubernetes objects and, in mode JSON, for any payload. */
export const validatingPolicy: PolicyKind = {
  ...inBothScopes("ValidatingPolicy"),
  type: "validate",
  name: "validating policy",
  section: "validate",
  ruleName: "none",
  variants: (spec) => modeOf(spec) === "Kubernetes" ? podControllerSpecs(spec, rewriteText) : [],
  // Payloads of mode JSON are not requests.
  onlyOnCommandLine: (spec) => modeOf(spec) === "JSON",
  // Mode JSON has no resources, so constraints do not apply.
  constraints: (spec) => modeOf(spec) === "JSON" ? {} : asObject(field(spec, "matchConstraints")),
  compile,
};

function modeOf(spec: JsonObject): string {
  return asString(dig(spec, "evaluation", "mode")) ?? "Kubernetes";
}

function compile(spec: JsonObject, tools: PolicyTools): CompiledBody {
  const mode = modeOf(spec);
  if (mode !== "Kubernetes" && mode !== "JSON") {
    tools.report({
      severity: "error",
      code: "not-yet",
      message: `evaluation.mode ${mode} is not supported yet`,
      hint: "use Kubernetes or JSON",
      path: ["spec", "evaluation", "mode"],
    });
  }
  const expressions = kyvernoExpressions(tools);
  const conditions = compileMatchConditions(field(spec, "matchConditions"), expressions, {
    path: ["spec", "matchConditions"],
    texts: kyvernoTexts,
  });
  const exempt = compileExemptions(tools, expressions, { onFault: onFaultOfValidation(tools) });
  defineVariables(expressions, field(spec, "variables"));
  const validate = compileKyvernoValidations(field(spec, "validations"), expressions);
  // Kyverno parity: mode JSON has no audit annotations. Pinned by "a policy in mode JSON has no audit annotations".
  const annotations = mode === "JSON" ? undefined : field(spec, "auditAnnotations");
  const annotate = compileAuditAnnotations(annotations, expressions, { path: ["spec", "auditAnnotations"] });
  const ignores = tools.policy.failurePolicy === "Ignore";
  return { run };

  function run(input: RuleInput): Outcome {
    const over = mode === "JSON" ? payloadRoots(input) : undefined;
    const { evaluation, allow } = kyvernoEvaluation(expressions, input, over === undefined ? {} : { over });
    const exemption = exempt(evaluation, input.context.environment.now());
    if (isFault(exemption)) return failed(exemption.message);
    if ("outcome" in exemption) return exemption.outcome;
    allow(exemption.allowed);
    const applies = conditions(evaluation);
    if (isFault(applies)) return ignores ? skip("skip") : failed(applies.message);
    if (!applies) return skip("skip");
    const verdict = validate(evaluation);
    if (verdict.result === "error") return { ...verdict, meaning: "blocking" };
    const annotations = annotate(evaluation);
    if (!isFault(annotations)) return { ...verdict, ...properties(annotations) };
    return verdict.result === "pass"
      ? failed(annotations.message)
      : { ...error(`error: ${annotations.message}`), meaning: "blocking" };
  }
}

const passed = pass("success");

/** Compiles `validations` with the messages of Kyverno; `compileValidations` of `cel/` has those of the API server. */
function compileKyvernoValidations(
  written: Json | undefined,
  set: ExpressionSet,
): (evaluation: CelEvaluation) => Outcome {
  const validations = asList(written).filter(isObject).map((entry, index) =>
    compileValidation(entry, index, set)
  );
  return (evaluation) => {
    for (const validation of validations) {
      const failure = validation(evaluation);
      if (failure === undefined) continue;
      return isFault(failure) ? error(`error: ${failure.message}`) : fail(failure);
    }
    return passed;
  };
}

/**
 * Kyverno parity: a policy that cannot be evaluated denies, also where failurePolicy is Ignore. Pinned by "an audit
 * annotation that cannot be evaluated denies the request, even when failurePolicy is Ignore".
 */
function failed(cause: string): Outcome {
  return { ...error(`failed to load context: ${cause}`), reportedAs: "evaluation", meaning: "blocking" };
}
