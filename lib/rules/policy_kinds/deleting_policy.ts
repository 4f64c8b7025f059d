import type { Activation } from "../../cel/mod.ts";
import { asList, asObject, dig, field, isFault, isObject, type JsonObject } from "../../json/mod.ts";
import { compileConstraints, type RuleSelector } from "../../match/mod.ts";
import { inBothScopes } from "../../policy/mod.ts";
import { compileMatchConditions, kyvernoTexts } from "../cel/mod.ts";
import { error, fail, type Outcome, pass } from "../outcome.ts";
import type { CompiledBody, RuleInput } from "../rule_kind.ts";
import { compileExemptions } from "./exceptions.ts";
import { defineVariables, kyvernoEvaluation, kyvernoExpressions } from "./kyverno_expressions.ts";
import type { PolicyKind, PolicyTools } from "./policy_kind.ts";

/**
 * `DeletingPolicy` of policies.kyverno.io: decides whether it would delete an object. `lib/live` deletes objects on
 * its schedule; the policy has no part in admission.
 */
export const deletingPolicy: PolicyKind = {
  ...inBothScopes("DeletingPolicy"),
  type: "validate",
  name: "deleting policy",
  section: "validate",
  ruleName: "policy",
  onlyOnCommandLine: () => true,
  variants: () => [],
  constraints,
  adjustSelector: (_spec, selector) => alsoPayloads(selector),
  compile,
};

/** The policy is evaluated for stored objects, so it selects every operation. */
function constraints(spec: JsonObject): JsonObject | undefined {
  const written = asObject(field(spec, "matchConstraints"));
  if (written === undefined) return undefined;
  const rules = asList(written["resourceRules"]).filter(isObject);
  return { ...written, resourceRules: rules.map((rule) => ({ ...rule, operations: ["*"] })) };
}

/**
 * Kyverno parity: constraints are about objects of Kubernetes, so the policy is about every payload of its command
 * line, which has no kind. Pinned by "a DeletingPolicy is about every payload".
 */
function alsoPayloads(selector: RuleSelector): RuleSelector {
  const { match } = selector, any = compileConstraints({}).match;
  return {
    ...selector,
    // Of kinds it is about none but its own: a command would list all objects of a cluster.
    match: {
      ...match,
      filters: [...match.filters, ...any.filters.map((each) => ({ ...each, kinds: [""] }))],
    },
    select: (candidate) => candidate.kind === "" ? { selected: true } : selector.select(candidate),
  };
}

function compile(spec: JsonObject, tools: PolicyTools): CompiledBody {
  // Only objects of a cluster have a uid.
  if (dig(tools.policy.document, "metadata", "uid") === undefined) {
    tools.report({
      severity: "warning",
      code: "not-yet",
      message: "a DeletingPolicy from a file deletes nothing: the command line shows what it is about",
      hint: "apply it to a cluster whose policies are followed (serve --watch-policies)",
      path: ["kind"],
    });
  }
  const expressions = kyvernoExpressions(tools);
  defineVariables(expressions, field(spec, "variables"));
  const conditions = compileMatchConditions(field(spec, "conditions"), expressions, {
    path: ["spec", "conditions"],
    texts: kyvernoTexts,
  });
  const exempt = compileExemptions(tools, expressions, { scope: "whole" });
  return { run };

  function run(input: RuleInput): Outcome {
    const { evaluation } = kyvernoEvaluation(
      expressions,
      input,
      isNamespace(input) ? { over: itself(input) } : {},
    );
    const exemption = exempt(evaluation, input.context.environment.now());
    if (!isFault(exemption) && "outcome" in exemption) return exemption.outcome;
    const holds = isFault(exemption) ? exemption : conditions(evaluation);
    if (isFault(holds)) return error(holds.message);
    return holds ? pass("resource matched") : fail("resource did not match");
  }
}

function isNamespace({ group, kind }: RuleInput): boolean {
  return group === "" && kind === "Namespace";
}

/**
 * Kyverno parity: `namespaceObject` of a Namespace that might be deleted is the Namespace itself. Pinned by
 * "DeletingPolicy: namespaceObject of a Namespace is the Namespace itself".
 */
function itself({ resource }: RuleInput): Activation {
  return (name) => name === "namespaceObject" ? resource ?? null : undefined;
}
