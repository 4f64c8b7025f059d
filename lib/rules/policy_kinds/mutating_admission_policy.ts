import { mutatingLibraries } from "../../cel/mod.ts";
import { asObject, type Fault, field, isFault, type Json, type JsonObject } from "../../json/mod.ts";
import { compileMatchConditions, kubernetesTexts } from "../cel/mod.ts";
import { error, listed, type Outcome, type OutcomeList, pass, skip } from "../outcome.ts";
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
    namespaceObject: "null",
  });
  const mutate = compileMutations(field(spec, "mutations"), { ...tools, expressions }, {
    schema: "optional",
    replacesAtomics: false,
  });
  const ignores = tools.policy.failurePolicy === "Ignore";
  return bodyForParameters(spec, runForEach);

  /**
   * Runs with each parameter on the object that the one before left. Kubernetes parity: under failurePolicy Ignore a
   * mutation that fails is passed over, and the others count. Pinned by "MutatingAdmissionPolicy: under failurePolicy
   * Ignore the mutations that do not fail count".
   */
  function runForEach(input: RuleInput, parameters: readonly Json[]): Outcome | OutcomeList | undefined {
    const failures: Outcome[] = [];
    let resource = input.resource, applied = false;
    if (resource === undefined) return undefined;
    for (const parameter of parameters) {
      const evaluated = run({ ...input, resource }, parameter);
      failures.push(
        ...evaluated.faults.map(({ message }) => ({ ...error(message), meaning: "changesStay" as const })),
      );
      if (failures.length > 0 && !ignores) return failures[0];
      if (evaluated.left === undefined) continue;
      applied = true;
      resource = evaluated.left;
    }
    const [failure] = failures;
    if (resource !== input.resource) {
      return listed([{ ...passed, patched: resource }, ...(failure === undefined ? [] : [failure])]);
    }
    return failure ?? (applied ? passed : skip("match conditions aren't met"));
  }

  /** The object that the policy leaves for one parameter, if its conditions hold, and what could not be evaluated. */
  function run(
    input: RuleInput & { readonly resource: JsonObject },
    parameter: Json,
  ): { readonly left?: JsonObject; readonly faults: readonly Fault[] } {
    const { over, see } = changingObject();
    const evaluation = admissionEvaluation(expressions, input, { parameter, over });
    const applies = conditions(evaluation);
    // Kubernetes parity: conditions that fail pass the policy over then. Pinned by "skip under failurePolicy Ignore
    // where they fail".
    if (isFault(applies)) return { faults: ignores ? [] : [applies] };
    if (!applies) return { faults: [] };
    const faults: Fault[] = [];
    const { tracker } = input.context;
    const passOver = (fault: Fault): void => void faults.push(fault);
    const left = mutate(input.resource, evaluation, { see, tracker, ...(ignores && { passOver }) });
    return isFault(left) ? { faults: [left] } : { left, faults };
  }
}

const passed = pass("mutation is successfully applied");
