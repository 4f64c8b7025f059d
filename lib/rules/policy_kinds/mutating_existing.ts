import type { Program } from "../../cel/mod.ts";
import {
  asObject,
  asString,
  dig,
  Fault,
  field,
  isFault,
  isObject,
  type Json,
  type JsonObject,
} from "../../json/mod.ts";
import {
  type CelEvaluation,
  compileMatchConditions,
  type ExpressionSet,
  kyvernoTexts,
  resourcesRead,
  wanted,
} from "../cel/mod.ts";
import {
  type Effect,
  listed,
  type Outcome,
  type OutcomeList,
  pass,
  type WrittenSubresource,
} from "../outcome.ts";
import type { CompiledBody, RuleInput } from "../rule_kind.ts";
import { describe, namespaceViolation } from "../cluster_objects.ts";
import { isApiName } from "../served_resources.ts";
import { defineVariables, kyvernoEvaluation, kyvernoExpressions } from "./kyverno_expressions.ts";
import { failed, mutatingPolicy } from "./mutating_policy.ts";
import { applyingOf, changingObject, compileMutations } from "./mutations.ts";
import { patchTypesLibrary } from "./patch_types.ts";
import type { PolicyKind, PolicyTools } from "./policy_kind.ts";
import { TargetRoutes } from "./target_routes.ts";
import { targetConstraints, targetNeeds, TargetSearch } from "./target_search.ts";

/**
 * `MutatingPolicy` with `mutateExisting`: changes existing objects when a trigger is admitted.
 * `targetMatchConstraints` selects them, or its expression returns them. Expressions read a target as `object`, and
 * the trigger's request as `request`. Exceptions apply to triggers only.
 */
export const mutatingExisting: PolicyKind = {
  ...mutatingPolicy,
  type: "mutateExisting",
  name: "mutating policy for existing objects",
  variants: () => [],
  applies: (spec) => dig(spec, "evaluation", "mutateExisting", "enabled") === true,
  compile,
};

function compile(spec: JsonObject, tools: PolicyTools): CompiledBody {
  const { policy } = tools;
  const expressions = kyvernoExpressions(tools, { libraries: [patchTypesLibrary], purpose: "mutate" });
  defineVariables(expressions, field(spec, "variables"));
  const conditions = compileMatchConditions(field(spec, "matchConditions"), expressions, {
    path: ["spec", "matchConditions"],
    texts: kyvernoTexts,
  });
  const targetConditions = compileMatchConditions(field(spec, "targetMatchConditions"), expressions, {
    path: ["spec", "targetMatchConditions"],
    texts: kyvernoTexts,
  });
  const written = asObject(field(spec, "targetMatchConstraints")) ?? {};
  const program = compileTargets(written["expression"], expressions);
  const mutate = compileMutations(field(spec, "mutations"), { ...tools, expressions }, applyingOf(policy));
  const find = program === undefined
    ? compileSearch(spec, tools)
    : compileExpression(program, written, tools);
  return { run, appliesToExisting: policy.mutateExistingOnPolicyUpdate };

  function run(input: RuleInput): Outcome | OutcomeList | undefined {
    // Without a cluster there are no targets.
    if (!input.context.tracker.serves("downstream")) return undefined;
    const { evaluation } = kyvernoEvaluation(expressions, input);
    const applies = conditions(evaluation);
    if (isFault(applies)) return failed(applies.message);
    if (!applies) return undefined;
    const found = find(input, evaluation);
    if (isFault(found)) return failed(found.message);
    const outside = namespaceViolation(found.map(({ object }) => object), policy);
    if (outside !== undefined) return failed(outside.message);
    return listed(found.flatMap((target) => changeTarget(target, input) ?? []));
  }

  function changeTarget({ object: target, subresource }: FoundTarget, input: RuleInput): Outcome | undefined {
    if (isFault(subresource)) return failed(subresource.message);
    const { over, see } = changingObject();
    see(target);
    const { evaluation } = kyvernoEvaluation(expressions, input, { over });
    const applies = targetConditions(evaluation);
    if (isFault(applies)) return failed(applies.message);
    if (!applies) return undefined;
    const result = mutate(target, evaluation, { see, tracker: input.context.tracker });
    if (isFault(result)) return failed(result.message);
    if (result === target) return pass("success");
    const effect: Effect = {
      verb: "update",
      object: result,
      ...(subresource !== undefined && { subresource }),
      policy: policy.key,
      rule: policy.rules[0]!.name,
      reason: `${describe(result)} is a target of the policy for ${
        describe(input.resource ?? input.oldResource ?? {})
      }`,
    };
    return { ...pass("success"), effects: [effect] };
  }
}

/** Compiles the expression that returns the targets; `undefined` when there is none. */
function compileTargets(written: Json | undefined, expressions: ExpressionSet): Program | undefined {
  const text = asString(written) ?? "";
  const path = ["spec", "targetMatchConstraints", "expression"];
  return text === "" ? undefined : expressions.compile(text, path, wanted.any);
}

/** A target, or why the API does not say which subresource of it is written. */
interface FoundTarget {
  readonly object: JsonObject;
  readonly subresource: WrittenSubresource | undefined | Fault;
}

/** Finds the targets of a policy for a trigger. */
type FindTargets = (input: RuleInput, evaluation: CelEvaluation) => readonly FoundTarget[] | Fault;

function compileSearch(spec: JsonObject, tools: PolicyTools): FindTargets {
  const search = new TargetSearch(targetConstraints(spec, tools.policy.namespace));
  for (const problem of search.problems) tools.report(problem);
  for (const need of search.needs) tools.need(need);
  if (search.selectsNamespaces) tools.need({ kind: "namespaceLabels" });
  return (input) => search.find(input);
}

function compileExpression(
  program: Program,
  constraints: JsonObject,
  tools: PolicyTools,
): FindTargets {
  const routes = new TargetRoutes(constraints);
  for (const problem of routes.problems) tools.report(problem);
  for (const resource of resourcesRead(program)) {
    const subresource = routes.subresourceOf(resource);
    if (subresource !== "" && !isApiName(subresource)) continue;
    for (const need of targetNeeds({ ...resource, subresource })) tools.need(need);
  }
  return ({ context: { tracker } }, evaluation) => {
    const objects = given(program, evaluation);
    if (isFault(objects)) return objects;
    return objects.map((object) => ({ object, subresource: routes.of(object, tracker) })).filter((
      { subresource },
    ) => subresource === undefined || isFault(subresource) || isApiName(subresource.name));
  };
}

/** The targets that the expression returns: one object, or the items of a list. */
function given(program: Program, evaluation: CelEvaluation): readonly JsonObject[] | Fault {
  const json = evaluation.evaluateToJson(program);
  if (isFault(json)) return new Fault(json.message);
  const items = field(json, "items");
  if (Array.isArray(items)) return items.filter(isObject);
  return isObject(json) && Object.keys(json).length > 0 ? [json] : [];
}
