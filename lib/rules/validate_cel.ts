import { dynType } from "../cel/mod.ts";
import type { PathDiagnostic } from "../diagnostics/mod.ts";
import { asString, isFault, type Json, type JsonObject } from "../json/mod.ts";
import {
  admissionRoots,
  type AuditAnnotations,
  CelEvaluation,
  collectParameters,
  compileAuditAnnotations,
  compileMatchConditions,
  compileValidations,
  ExpressionSet,
  kubernetesTexts,
  type MatchConditions,
  parameterNeed,
  parameterProblems,
  parameterSource,
  requestHost,
  requestNamespace,
  ruleEnvironment,
} from "./cel/mod.ts";
import { error, fail, type Outcome, pass, skip } from "./outcome.ts";
import type { CompiledBody, RuleInput, RuleTools } from "./rule_kind.ts";
import type { Validation } from "./validation.ts";

/** CEL expressions with the semantics of a ValidatingAdmissionPolicy. */
export interface CelBody extends Validation {
  readonly kind: "cel";
  /** Whether a ValidatingAdmissionPolicy is made from the rule, which the API server enforces. */
  readonly generate: boolean;
  readonly expressions: readonly JsonObject[];
  readonly variables: readonly { readonly name: string; readonly expression: string }[];
  readonly auditAnnotations: readonly JsonObject[];
  readonly paramKind: JsonObject | undefined;
  readonly paramRef: JsonObject | undefined;
}

/**
 * Compiles a rule of `validate.cel`. Its expressions are evaluated once for each parameter. An expression that cannot
 * be evaluated counts as one that is false.
 */
export function compileCelRule(block: CelBody, tools: RuleTools): CompiledBody {
  const parameters = parameterSource(block.paramKind, block.paramRef, tools.policy.namespace);
  const checks = compileChecks(block, compileExpressions(block, parameters, tools), tools);
  return {
    run(input) {
      if (parameters === undefined) return runChecks(checks, input, undefined);
      const found = collectParameters(parameters, input.context.tracker, parameterNamespace(input));
      if (isFault(found)) return error(`error in parameterized resource: ${found.message}`);
      let outcome: Outcome = checks.passed;
      for (const parameter of found) {
        outcome = runChecks(checks, input, parameter);
        if (outcome.result !== "pass") return outcome;
      }
      return outcome;
    },
  };
}

/** The compiled expressions of a rule. */
interface Checks {
  readonly expressions: ExpressionSet;
  readonly conditions: MatchConditions;
  readonly validate: ReturnType<typeof compileValidations>;
  readonly annotations: AuditAnnotations;
  /** The name of the policy, before the keys of audit annotations. */
  readonly prefix: string;
  readonly passed: Outcome;
}

function compileChecks(block: CelBody, expressions: ExpressionSet, tools: RuleTools): Checks {
  const path = ["validate", "cel"], { rule } = tools;
  const reportLeftOut = (problem: PathDiagnostic): void => tools.report(leftOut(problem));
  return {
    expressions,
    conditions: compileMatchConditions([...rule.celPreconditions], expressions, {
      path: ["celPreconditions"],
      texts: kubernetesTexts,
      namespaceObject: "null",
    }),
    validate: compileValidations(block.expressions, expressions, {
      path: [...path, "expressions"],
      fallbackMessage: asString(block.message) ?? "",
      authorizerWarning: true,
      reportMessage: reportLeftOut,
    }),
    annotations: expressions.reporting(
      reportLeftOut,
      () =>
        compileAuditAnnotations(block.auditAnnotations, expressions, { path: [...path, "auditAnnotations"] }),
    ),
    prefix: tools.policy.name,
    passed: pass(`Validation rule '${rule.name}' passed.`),
  };
}

/** Evaluates the expressions for a request and one of its parameters. */
function runChecks(checks: Checks, input: RuleInput, parameter: Json | undefined): Outcome {
  const { expressions, conditions, validate, annotations, prefix, passed } = checks;
  const evaluation = new CelEvaluation({
    roots: admissionRoots(input, (name) => name === "params" ? parameter : undefined),
    variables: expressions.variables,
    host: requestHost(input),
    tracker: input.context.tracker,
    variableFault,
  });
  const applies = evaluateConditions(conditions, evaluation);
  if (applies !== true) return applies;
  const verdict = validate(evaluation);
  const outcome = verdict.result === "pass" ? passed : fail(verdict.message);
  return annotated(outcome, annotations, { evaluation, prefix });
}

function compileExpressions(
  block: CelBody,
  parameters: ReturnType<typeof parameterSource>,
  tools: RuleTools,
): ExpressionSet {
  const expressions = new ExpressionSet({
    ...ruleEnvironment(parameters && dynType),
    report: tools.report,
    need: tools.need,
  });
  if (parameters !== undefined) tools.need(parameterNeed(parameters));
  const path = ["validate", "cel"];
  for (const { field: name, message } of parameterProblems(block.paramRef)) {
    expressions.mistake(message, [...path, "paramRef", name]);
  }
  block.variables.forEach(({ name, expression }, index) => {
    expressions.define(name, expression, [...path, "variables", index, "expression"]);
  });
  return expressions;
}

/**
 * Turns the problem of a `messageExpression` or an audit annotation into a warning, because they do not decide the
 * result. Kyverno parity: Kyverno evaluates the rule and leaves out the message or annotation. Pinned by "and warns its
 * author".
 */
function leftOut(problem: PathDiagnostic): PathDiagnostic {
  const { severity, hint = "the rule works without it" } = problem;
  return severity === "error" ? { ...problem, severity: "warning", hint } : problem;
}

/**
 * The namespace of parameters whose reference names none. Kyverno parity: a Namespace has none, although its request
 * names it. Pinned by "a Namespace has no namespace in which parameters could be".
 */
function parameterNamespace(input: RuleInput): string {
  return input.kind === "Namespace" && input.group === "" ? "" : requestNamespace(input);
}

function variableFault(name: string, cause: string): string {
  return `composited variable "${name}" fails to evaluate: ${cause}`;
}

function evaluateConditions(conditions: MatchConditions, evaluation: CelEvaluation): true | Outcome {
  const applies = conditions(evaluation);
  if (isFault(applies)) return fail(applies.message);
  return applies || skip("cel preconditions not met");
}

/**
 * Kyverno parity: an annotation that cannot be evaluated is left out, and changes nothing else. Pinned by "a rule
 * leaves out an audit annotation that cannot be evaluated, and passes".
 */
function annotated(
  outcome: Outcome,
  annotations: AuditAnnotations,
  { evaluation, prefix }: { readonly evaluation: CelEvaluation; readonly prefix: string },
): Outcome {
  const found = annotations(evaluation);
  if (isFault(found) || Object.keys(found).length === 0) return outcome;
  const named = Object.entries(found).map(([key, value]) => [`${prefix}/${key}`, value]);
  return { ...outcome, auditAnnotations: Object.fromEntries(named) };
}
