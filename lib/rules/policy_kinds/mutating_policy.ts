import { asObject, field, isFault, type JsonObject } from "../../json/mod.ts";
import { inBothScopes, podControllerSpecs } from "../../policy/mod.ts";
import { compileAuditAnnotations, compileMatchConditions, kyvernoTexts } from "../cel/mod.ts";
import { error, type Outcome, pass, skip } from "../outcome.ts";
import type { CompiledBody, RuleInput } from "../rule_kind.ts";
import { compileExemptions } from "./exceptions.ts";
import { defineVariables, kyvernoEvaluation, kyvernoExpressions, properties } from "./kyverno_expressions.ts";
import { applyingOf, changingObject, compileMutations } from "./mutations.ts";
import { rewriteMutation } from "./mutation_autogen.ts";
import { patchTypesLibrary } from "./patch_types.ts";
import type { PolicyKind, PolicyTools } from "./policy_kind.ts";

/** `MutatingPolicy` of policies.kyverno.io, for the object of the request. */
export const mutatingPolicy: PolicyKind = {
  ...inBothScopes("MutatingPolicy"),
  type: "mutate",
  name: "mutating policy",
  section: "mutate",
  ruleName: "none",
  variants: (spec) => podControllerSpecs(spec, rewriteMutation),
  constraints: (spec) => asObject(field(spec, "matchConstraints")),
  compile,
};

function compile(spec: JsonObject, tools: PolicyTools): CompiledBody {
  const expressions = kyvernoExpressions(tools, { libraries: [patchTypesLibrary], purpose: "mutate" });
  const exempt = compileExemptions(tools, expressions);
  defineVariables(expressions, field(spec, "variables"));
  const conditions = compileMatchConditions(field(spec, "matchConditions"), expressions, {
    path: ["spec", "matchConditions"],
    texts: kyvernoTexts,
  });
  const mutate = compileMutations(
    field(spec, "mutations"),
    { ...tools, expressions },
    applyingOf(tools.policy),
  );
  const annotate = compileAuditAnnotations(field(spec, "auditAnnotations"), expressions, {
    path: ["spec", "auditAnnotations"],
    quoted: JSON.stringify,
  });
  return { run };

  function run(input: RuleInput): Outcome | undefined {
    const { resource } = input;
    if (resource === undefined) return undefined;
    const { over, see } = changingObject();
    const { evaluation, allow } = kyvernoEvaluation(expressions, input, { over });
    const exemption = exempt(evaluation, input.context.environment.now());
    if (isFault(exemption)) return failed(exemption.message);
    if ("outcome" in exemption) return exemption.outcome;
    allow(exemption.allowed);
    const applies = conditions(evaluation);
    if (isFault(applies)) return failed(applies.message);
    if (!applies) return skip("skip");
    const result = mutate(resource, evaluation, { see, tracker: input.context.tracker });
    if (isFault(result)) return failed(result.message);
    const annotations = annotate(evaluation);
    if (isFault(annotations)) return failed(annotations.message);
    return {
      ...pass("success"),
      ...properties(annotations),
      ...(result !== resource && { patched: result }),
    };
  }
}

/** The error of a policy that mutates; its result has the name `evaluation`. */
export function failed(cause: string): Outcome {
  return { ...error(`failed to evaluate policy: ${cause}`), reportedAs: "evaluation" };
}
