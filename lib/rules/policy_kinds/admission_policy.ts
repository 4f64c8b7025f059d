import { type Activation, dynType, type Library } from "../../cel/mod.ts";
import { nameOf } from "../../kube/mod.ts";
import { asList, asString, field, isFault, type Json, type JsonObject } from "../../json/mod.ts";
import {
  admissionRoots,
  admissionVariables,
  authorizerVariables,
  CelEvaluation,
  collectParameters,
  ExpressionSet,
  orValueLibrary,
  parameterNeed,
  type ParameterSource,
  parameterSource,
  requestHost,
  requestNamespace,
} from "../cel/mod.ts";
import { error, listed, type Outcome, type OutcomeList, pass } from "../outcome.ts";
import type { RuleInput } from "../rule_kind.ts";
import type { BindableBody, PolicyTools } from "./policy_kind.ts";

/** The expressions of a policy of admissionregistration.k8s.io, with its variables. */
export function admissionExpressions(
  spec: JsonObject,
  { report, need }: Pick<PolicyTools, "report" | "need">,
  libraries: readonly Library[],
): ExpressionSet {
  const hasParameters = field(spec, "paramKind") !== undefined;
  const expressions = new ExpressionSet({
    variables: { ...admissionVariables, ...authorizerVariables, ...(hasParameters && { params: dynType }) },
    libraries: [...libraries, orValueLibrary],
    literals: "homogeneous",
    report,
    need,
  });
  asList(field(spec, "variables")).forEach((variable, index) => {
    const name = asString(field(variable, "name")) ?? "";
    const text = asString(field(variable, "expression")) ?? "";
    expressions.define(name, text, ["spec", "variables", index, "expression"]);
  });
  return expressions;
}

/** Runs a policy for each of its parameters. */
export type RunForEach = (input: RuleInput, parameters: readonly Json[]) => Outcome | OutcomeList | undefined;

/**
 * The body of a policy, which runs for a request with the parameters of its binding; without a binding or a
 * `paramRef` null is the parameter. Kyverno parity: reports name the binding; pinned by "results name the binding of
 * their policy".
 */
export function bodyForParameters(spec: JsonObject, run: RunForEach): BindableBody {
  return {
    run: (input) => run(input, [null]),
    forBinding: (binding, need) => {
      const reference = field(field(binding.document, "spec"), "paramRef");
      const source = parameterSource(field(spec, "paramKind"), reference);
      if (source !== undefined) need(parameterNeed(source));
      const runForEach = withParameters(source, run);
      const property = binding.kind === "MutatingAdmissionPolicyBinding" ? "mapBinding" : "binding";
      const properties = { [property]: nameOf(binding.document) };
      return {
        run: (input) => {
          const named = (outcome: Outcome): Outcome => ({
            ...outcome,
            properties: { ...outcome.properties, ...properties },
          });
          const outcome = runForEach(input);
          if (outcome?.result !== "list") return outcome && named(outcome);
          return listed(outcome.outcomes.map(named));
        },
      };
    },
  };
}

function withParameters(
  source: ParameterSource | undefined,
  run: RunForEach,
): (input: RuleInput) => ReturnType<RunForEach> {
  if (source === undefined) return (input) => run(input, [null]);
  return (input) => {
    const { tracker } = input.context;
    // Where parameters cannot be looked up the policy runs without one.
    if (!tracker.serves("parameters")) return run(input, [null]);
    const found = collectParameters(source, tracker, requestNamespace(input));
    if (isFault(found)) {
      return { ...error(`failed to configure binding: ${found.message}`), meaning: "unbound" };
    }
    return found.length === 0 ? pass("") : run(input, found);
  };
}

/** The evaluation of expressions for one request and parameter. `over` is read before the request's variables. */
export function admissionEvaluation(
  expressions: ExpressionSet,
  input: RuleInput,
  { parameter, over }: { readonly parameter: Json; readonly over?: Activation },
): CelEvaluation {
  const variables = admissionRoots(input, (name) => name === "params" ? parameter : undefined);
  return new CelEvaluation({
    roots: over === undefined ? variables : (name) => over(name) ?? variables(name),
    variables: expressions.variables,
    host: requestHost(input),
    tracker: input.context.tracker,
    variableFault: (name, cause) => `composited variable "${name}" fails to evaluate: ${cause}`,
  });
}
