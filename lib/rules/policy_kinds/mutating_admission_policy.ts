import { mutatingLibraries } from "../../cel/mod.ts";
import { asObject, field, isFault, type Json, type JsonObject } from "../../json/mod.ts";
import { compileMatchConditions, kubernetesTexts } from "../cel/mod.ts";
import { error, type Outcome, pass, skip } from "../outcome.ts";
import type { CompiledBody, RuleInput } from "../rule_kind.ts";
import { admissionEvaluation, admissionExpressions, bodyForParameters } from "./admission_policy.ts";
import { changingObject, compileMutations } from "./mutations.ts";
import { patchTypesLibrary } from "./patch_types.ts";
import type { PolicyKind, PolicyTools } from "./policy_kind.ts";

/** `MutatingAdmissionPolicy` of Kubernetes, one rule for each of its bindings. */
export const mutatingAdmissionPolicy: PolicyKind = {
  group: "admissionregistration.k8s.io",
  kinds: ["MutatingAdmissionPolicy"],
  type: "mutate",
  name: "mutating admission policy",
  section: "mutate",
  ruleName: "policy",
  variants: () => [],
  constraints: (spec) => asObject(field(spec, "matchConstraints")),
  compile,
};

function compile(spec: JsonObject, tools: PolicyTools): CompiledBody {
  const expressions = admissionExpressions(spec, tools, [...mutatingLibraries, patchTypesLibrary]);
  const conditions = compileMatchConditions(field(spec, "matchConditions"), expressions, {
    path: ["spec", "matchConditions"],
    texts: kubernetesTexts,
  });
  const mutate = compileMutations(field(spec, "mutations"), { ...tools, expressions }, {
    schema: "optional",
    replacesAtomics: false,
  });
  return bodyForParameters(spec, run);

  function run(input: RuleInput, parameter: Json): Outcome | undefined {
    const { resource } = input;
    if (resource === undefined) return undefined;
    const { over, see } = changingObject();
    const evaluation = admissionEvaluation(expressions, input, { parameter, over });
    const applies = conditions(evaluation);
    if (isFault(applies)) return error(applies.message);
    if (!applies) return skip("match conditions aren't met");
    const result = mutate(resource, evaluation, { see, tracker: input.context.tracker });
    if (isFault(result)) return error(result.message);
    const passed = pass("mutation is successfully applied");
    return result === resource ? passed : { ...passed, patched: result };
  }
}
