import { celToJson, isCelFault, type Program } from "../../cel/mod.ts";
import {
  asList,
  asObject,
  asString,
  asTexts,
  dig,
  Fault,
  field,
  isFault,
  isObject,
  type Json,
  type JsonObject,
} from "../../json/mod.ts";
import { kindNeed } from "../../context/mod.ts";
import { builtinResource, formatApiVersion, labelsOf, namespaceOf, typeOf } from "../../kube/mod.ts";
import { compileConstraints, type RuleSelector } from "../../match/mod.ts";
import {
  type CelEvaluation,
  compileMatchConditions,
  type ExpressionSet,
  kyvernoTexts,
  typesRead,
  wanted,
} from "../cel/mod.ts";
import { type Effect, error, listed, type Outcome, type OutcomeList, pass } from "../outcome.ts";
import type { CompiledBody, ObjectType, RuleInput } from "../rule_kind.ts";
import { type ClusterObjects, describe, objectsInCluster, trespass } from "../cluster_objects.ts";
import { defineVariables, kyvernoEvaluation, kyvernoExpressions } from "./kyverno_expressions.ts";
import { mutatingPolicy } from "./mutating_policy.ts";
import { applyingOf, changingObject, compileMutations } from "./mutations.ts";
import { patchTypesLibrary } from "./patch_types.ts";
import type { PolicyKind, PolicyTools } from "./policy_kind.ts";

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
  const written = field(spec, "targetMatchConstraints");
  const program = compileTargets(field(written, "expression"), expressions);
  const rules = asList(field(written, "resourceRules")).length > 0
    ? written
    : field(spec, "matchConstraints");
  const targets = new TargetSearch(asObject(rules) ?? {}, policy.namespace);
  const mutate = compileMutations(field(spec, "mutations"), { ...tools, expressions }, applyingOf(policy));
  const read = program === undefined ? targets.types : typesRead(program);
  for (const type of read) tools.need(kindNeed(type, ["get", "list", "patch", "update"]));
  if (targets.selectsNamespaces) tools.need({ kind: "namespaceLabels" });
  return { run, looksBack: policy.mutateExistingOnPolicyUpdate };

  function run(input: RuleInput): Outcome | OutcomeList | undefined {
    // Without a cluster there are no targets.
    if (!input.context.store.serves("downstream")) return undefined;
    const { evaluation } = kyvernoEvaluation(expressions, input);
    const applies = conditions(evaluation);
    if (isFault(applies)) return failed(applies.message);
    if (!applies) return undefined;
    const found = program === undefined ? targets.find(input) : given(program, evaluation);
    if (isFault(found)) return failed(found.message);
    const outside = trespass(found, policy);
    if (outside !== undefined) return failed(outside.message);
    return listed(found.flatMap((target) => changeTarget(target, input) ?? []));
  }

  function changeTarget(target: JsonObject, input: RuleInput): Outcome | undefined {
    const { over, see } = changingObject();
    see(target);
    const { evaluation } = kyvernoEvaluation(expressions, input, { over });
    const applies = targetConditions(evaluation);
    if (isFault(applies)) return failed(applies.message);
    if (!applies) return undefined;
    const result = mutate(target, evaluation, { see, store: input.context.store });
    if (isFault(result)) return failed(result.message);
    if (result === target) return pass("success");
    const effect: Effect = {
      verb: "update",
      object: result,
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

/** Finds existing objects by resource rules. */
class TargetSearch {
  readonly #selector: RuleSelector;
  readonly types: readonly ObjectType[];
  readonly #namespace: string;

  constructor(constraints: JsonObject, namespace: string | undefined) {
    const rules = asList(constraints["resourceRules"]).filter(isObject);
    // A target exists already, so the operations of its resource rules do not matter.
    const anyhow = rules.map((rule) => ({ ...rule, operations: ["*"] }));
    this.#selector = compileConstraints({ ...constraints, resourceRules: anyhow });
    this.types = rules.flatMap((rule) => asTexts(rule["resources"])).flatMap((plural) => {
      const builtin = builtinResource(plural);
      return builtin === undefined ? [] : [{ apiVersion: formatApiVersion(builtin), kind: builtin.kind }];
    });
    this.#namespace = namespace ?? "";
  }

  /** Whether the constraints select targets by the labels of their namespaces. */
  get selectsNamespaces(): boolean {
    return this.#selector.needsNamespaceLabels;
  }

  find({ context }: RuleInput): readonly JsonObject[] | Fault {
    const clusterObjects = objectsInCluster(context.store);
    const found: JsonObject[] = [];
    for (const kind of this.types) {
      const objects = clusterObjects.list({ ...kind, namespace: this.#namespace });
      if (isFault(objects)) return objects;
      for (const object of objects) {
        const labels = this.#namespaceLabels(object, clusterObjects);
        if (isFault(labels)) return labels;
        if (this.#selects(object, labels)) found.push(object);
      }
    }
    return found;
  }

  /** The labels of an object's namespace, or of a Namespace itself; none where no constraint selects by them. */
  #namespaceLabels(
    object: JsonObject,
    clusterObjects: ClusterObjects,
  ): JsonObject | Fault {
    if (!this.selectsNamespaces) return {};
    if (object["kind"] === "Namespace") return labelsOf(object);
    const name = namespaceOf(object);
    if (name === "") return {};
    const found = clusterObjects.get({ apiVersion: "v1", kind: "Namespace", namespace: "", name });
    if (isFault(found)) return found;
    return "object" in found ? labelsOf(found.object) : {};
  }

  #selects(resource: JsonObject, namespaceLabels: JsonObject): boolean {
    const candidate = {
      ...typeOf(resource),
      operation: "UPDATE",
      resource,
      namespaceLabels,
      user: undefined,
    };
    return this.#selector.select({ ...candidate, subresource: "" }).selected;
  }
}

/** The targets that the expression returns: one object, or the items of a list. */
function given(program: Program, evaluation: CelEvaluation): readonly JsonObject[] | Fault {
  const value = evaluation.evaluate(program);
  const json = isCelFault(value) ? value : celToJson(value);
  if (isFault(json)) return new Fault(json.message);
  const items = field(json, "items");
  if (Array.isArray(items)) return items.filter(isObject);
  return isObject(json) && Object.keys(json).length > 0 ? [json] : [];
}

function failed(cause: string): Outcome {
  return { ...error(`failed to evaluate policy: ${cause}`), reportedAs: "evaluation" };
}
