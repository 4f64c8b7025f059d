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
import { error, type Outcome, pass } from "../outcome.ts";
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

/** Runs a policy for one parameter (null without). */
export type RunWith = (input: RuleInput, parameter: Json) => Outcome | undefined;

/**
 * The body of a policy, which runs for a request once for each parameter of its binding, until one denies it: an error
 * may be one that the failurePolicy ignores, and match conditions read parameters. Without a binding there are no
 * parameters. Kyverno parity: reports name the binding; pinned by "results name the binding of their policy".
 */
export function bodyForParameters(spec: JsonObject, run: RunWith): BindableBody {
  return {
    run: (input) => run(input, null),
    forBinding: (binding, need) => {
      const reference = field(field(binding.document, "spec"), "paramRef");
      const source = parameterSource(field(spec, "paramKind"), reference);
      if (source !== undefined) need(parameterNeed(source));
      const runForEach = withParameters(source, run);
      const property = binding.kind === "MutatingAdmissionPolicyBinding" ? "mapBinding" : "binding";
      const properties = { [property]: nameOf(binding.document) };
      return {
        run: (input) => {
          const outcome = runForEach(input);
          return outcome && { ...outcome, properties: { ...outcome.properties, ...properties } };
        },
      };
    },
  };
}

function withParameters(
  source: ParameterSource | undefined,
  run: RunWith,
): (input: RuleInput) => Outcome | undefined {
  if (source === undefined) return (input) => run(input, null);
  return (input) => {
    const { tracker } = input.context;
    // Where parameters cannot be looked up the policy runs without one.
    if (!tracker.serves("parameters")) return run(input, null);
    const found = collectParameters(source, tracker, requestNamespace(input));
    if (isFault(found)) return error(`failed to configure binding: ${found.message}`);
    let gravest: Outcome | undefined = found.length === 0 ? pass("") : undefined;
    for (const parameter of found) {
      const outcome = run(input, parameter);
      if (outcome?.result === "fail") return outcome;
      if (outcome !== undefined && isGraver(outcome, gravest)) gravest = outcome;
    }
    return gravest;
  };
}

/** Whether an outcome counts more than those of the parameters before it. An error counts most. */
function isGraver({ result }: Outcome, before: Outcome | undefined): boolean {
  return before === undefined || result === "error" || (before.result !== "error" && result !== "skip");
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
    observer: input.context.tracker.observer,
    variableFault: (name, cause) => `composited variable "${name}" fails to evaluate: ${cause}`,
  });
}
