import { failure, isCelFault, type Program } from "../../cel/mod.ts";
import {
  asList,
  asObject,
  asString,
  dig,
  Fault,
  field,
  isFault,
  isObject,
  type Json,
  type JsonObject,
  setField,
} from "../../json/mod.ts";
import type { LoadTracker } from "../../context/mod.ts";
import { builtinKind, nameOf, namespaceOf } from "../../kube/mod.ts";
import type { RuleSelector } from "../../match/mod.ts";
import type { Policy } from "../../policy/mod.ts";
import {
  type CelEvaluation,
  compileAuditAnnotations,
  compileMatchConditions,
  type ExpressionSet,
  kyvernoTexts,
  typesRead,
  wanted,
} from "../cel/mod.ts";
import { type Owner, ownerLabels, ownerOf } from "../downstream.ts";
import { type Effect, error, fail, type Outcome, pass } from "../outcome.ts";
import { downstreamNeeds } from "../downstream_needs.ts";
import type { CompiledBody, ObjectType, RuleInput } from "../rule_kind.ts";
import { describe, objectsInCluster } from "../cluster_objects.ts";
import { compileExemptions } from "./exceptions.ts";
import { compileGenerationTemplate, type GenerationTemplate } from "./generation_template.ts";
import { defineVariables, kyvernoEvaluation, kyvernoExpressions, properties } from "./kyverno_expressions.ts";
import type { PolicyKind, PolicyTools } from "./policy_kind.ts";

/**
 * `GeneratingPolicy` of policies.kyverno.io. What `generator.Apply` and templates give is asked for as effects; once the
 * trigger no longer matches, a policy that synchronizes asks for the deletion of the same objects.
 */
export const generatingPolicy: PolicyKind = {
  group: "policies.kyverno.io",
  kinds: ["GeneratingPolicy", "NamespacedGeneratingPolicy"],
  type: "generate",
  name: "generating policy",
  body: "generate",
  ruleName: "policy",
  variants: () => [],
  constraints: (spec) => asObject(field(spec, "matchConstraints")),
  asked: (spec, selector) => synchronizes(spec) ? alsoDeletions(selector) : selector,
  compile,
};

function synchronizes(spec: JsonObject): boolean {
  return dig(spec, "evaluation", "synchronize", "enabled") === true;
}

function orphans(spec: JsonObject): boolean {
  return dig(spec, "evaluation", "orphanDownstreamOnPolicyDelete", "enabled") === true;
}

/** The types of the objects that templates hold, that expressions write out, and that they may copy. */
function typesMade(generations: readonly Generation[], { programs }: ExpressionSet): readonly ObjectType[] {
  const types = [
    ...generations.flatMap((generation) => "template" in generation ? generation.template.types : []),
    ...programs.flatMap((program) => [...program.facts.objects, ...typesRead(program)]),
  ];
  return [...new Map(types.map((type) => [`${type.apiVersion}/${type.kind}`, type])).values()];
}

/** A policy that keeps in step what it generated hears of the deletion of triggers, though it generates nothing then. */
function alsoDeletions(selector: RuleSelector): RuleSelector {
  const filters = selector.match.filters.map((filter) =>
    filter.operations.includes("DELETE") ? filter : { ...filter, operations: [] }
  );
  const resources = (selector.resources ?? []).map((rule) => ({
    ...rule,
    operations: [...new Set([...rule.operations, "DELETE"])],
  }));
  const select: RuleSelector["select"] = (candidate) => {
    const selection = selector.select(candidate);
    if (selection.selected || candidate.operation !== "DELETE") return selection;
    const former = selector.select({ ...candidate, operation: "UPDATE" });
    return former.selected ? former : selector.select({ ...candidate, operation: "CREATE" });
  };
  return { ...selector, match: { ...selector.match, filters }, resources, select };
}

type Generation = { readonly program: Program | undefined } | { readonly template: GenerationTemplate };

function compile(spec: JsonObject, tools: PolicyTools): CompiledBody {
  const { policy } = tools;
  const expressions = kyvernoExpressions(tools, { purpose: "generate", literals: "mixed" });
  const conditions = compileMatchConditions(field(spec, "matchConditions"), expressions, {
    path: ["spec", "matchConditions"],
    texts: kyvernoTexts,
  });
  const exempt = compileExemptions(tools, expressions);
  defineVariables(expressions, field(spec, "variables"));
  const generations = asList(field(spec, "generate")).filter(isObject).map(compileGeneration);
  const annotate = compileAuditAnnotations(field(spec, "auditAnnotations"), expressions, [
    "spec",
    "auditAnnotations",
  ]);
  const inStep = synchronizes(spec);
  const types = typesMade(generations, expressions);
  for (const need of downstreamNeeds(types)) tools.need(need);
  return {
    run,
    looksBack: policy.generateExisting,
    downstream: {
      synchronize: inStep,
      makes: "data",
      onPolicyDelete: orphans(spec) ? "orphan" : "delete",
      types,
    },
  };

  function compileGeneration(entry: JsonObject, index: number): Generation {
    const path = ["spec", "generate", index];
    const value = asString(dig(entry, "template", "value"));
    if (value === undefined) {
      const text = asString(field(entry, "expression")) ?? "";
      return { program: expressions.compile(text, [...path, "expression"], wanted.bool) };
    }
    const interpolate = dig(entry, "template", "interpolate") === "cel";
    return {
      template: compileGenerationTemplate({ value, interpolate }, expressions, [
        ...path,
        "template",
        "value",
      ]),
    };
  }

  function run(input: RuleInput): Outcome | undefined {
    const trigger = input.resource ?? input.oldResource;
    if (trigger === undefined) return undefined;
    const generated: JsonObject[] = [];
    const take = (namespace: string, objects: readonly JsonObject[]): Fault | undefined => {
      for (const object of objects.flatMap(opened)) {
        const placed = inNamespace(object, namespace, policy);
        if (isFault(placed)) return placed;
        generated.push(placed);
      }
      return undefined;
    };
    const { evaluation, allow } = kyvernoEvaluation(expressions, input, {
      generate: (namespace, objects) => {
        const refusal = take(namespace, objects);
        return refusal && failure(refusal.message);
      },
    });
    const exemption = exempt(evaluation, input.context.environment.now());
    if (isFault(exemption)) return failed(exemption.message);
    if ("outcome" in exemption) return exemption.outcome;
    allow(exemption.allowed);
    const applies = conditions(evaluation);
    if (isFault(applies)) return failed(applies.message);
    if (!applies) return undefined;
    for (const generation of generations) {
      const fault = "template" in generation
        ? fromTemplate(generation.template.render(evaluation), take)
        : fromExpression(generation.program, evaluation);
      if (fault !== undefined) return failed(fault.message);
    }
    const annotations = annotate(evaluation);
    if (isFault(annotations)) return failed(annotations.message);
    const effects = plan(generated, trigger, input);
    if (isFault(effects)) return failed(effects.message);
    return {
      ...(input.triggerGone ? fail("") : pass("policy evaluated successfully")),
      ...properties(annotations),
      ...(effects.length > 0 && { effects }),
    };
  }

  function fromTemplate(
    objects: readonly JsonObject[] | Fault,
    take: (namespace: string, objects: readonly JsonObject[]) => Fault | undefined,
  ): Fault | undefined {
    if (isFault(objects)) return objects;
    for (const object of objects) {
      const namespace = namespaceOf(object);
      if (policy.namespace !== undefined && namespace !== "" && namespace !== policy.namespace) {
        return new Fault(
          `cross-namespace generation denied: a policy in namespace "${policy.namespace}" cannot generate resources into namespace "${namespace}"`,
        );
      }
      const refusal = take(policy.namespace ?? namespace, [object]);
      if (refusal !== undefined) return new Fault(`failed to generate resources: ${refusal.message}`);
    }
    return undefined;
  }

  function plan(objects: readonly JsonObject[], trigger: JsonObject, input: RuleInput): Effect[] | Fault {
    const { store } = input.context;
    const owner = {
      policy: { name: policy.name, namespace: policy.namespace },
      rule: policy.name,
      trigger,
    };
    if (input.triggerGone) return inStep ? withdrawal(objects, store, owner) : [];
    const labels = store.serves("downstream") ? ownerLabels(owner) : {};
    return objects.map((object) => ({
      verb: inStep ? "apply" : "create",
      object: labelled(object, labels),
      policy: policy.key,
      rule: policy.name,
      reason: `generated for ${describe(trigger)}`,
    }));
  }

  /** Of what would be generated now, that which was generated by this policy and is still there goes. */
  function withdrawal(objects: readonly JsonObject[], store: LoadTracker, owner: Owner): Effect[] | Fault {
    if (!store.serves("downstream")) return [];
    const clusterObjects = objectsInCluster(store);
    const effects: Effect[] = [];
    for (const object of objects) {
      const place = {
        apiVersion: asString(object["apiVersion"]) ?? "",
        kind: asString(object["kind"]) ?? "",
        namespace: namespaceOf(object),
        name: nameOf(object),
      };
      const found = clusterObjects.get(place);
      if (isFault(found)) return found;
      if (!("object" in found) || ownerOf(found.object)?.policy.name !== policy.name) continue;
      const reason = `${describe(owner.trigger)}, for which it was generated, is gone or no longer matches`;
      effects.push({ verb: "delete", object: found.object, policy: policy.key, rule: policy.name, reason });
    }
    return effects;
  }
}

function failed(cause: string): Outcome {
  return error(`failed to evaluate policy: ${cause}`);
}

/** An expression generates as it is evaluated; what it gives is not looked at. */
function fromExpression(program: Program | undefined, evaluation: CelEvaluation): Fault | undefined {
  if (program === undefined) return new Fault("an expression does not compile");
  const value = evaluation.evaluate(program);
  return isCelFault(value) ? value : undefined;
}

/** A list stands for its items. */
function opened(object: JsonObject): readonly JsonObject[] {
  const items = object["items"];
  return Array.isArray(items) && (asString(object["kind"]) ?? "").endsWith("List")
    ? items.filter(isObject)
    : [object];
}

/** What the API server gave an object that is copied, which a new one must not have. */
const given = ["uid", "managedFields", "resourceVersion", "creationTimestamp", "selfLink"];

function inNamespace(object: JsonObject, namespace: string, policy: Policy): JsonObject | Fault {
  const kind = asString(object["kind"]) ?? "", apiVersion = asString(object["apiVersion"]) ?? "";
  const namespaced = (builtinKind(kind, apiVersion) ?? builtinKind(kind))?.namespaced ?? true;
  if (!namespaced && namespace !== "" && policy.namespace !== undefined) {
    return new Fault(
      `cross-scope generation denied: a policy scoped to namespace "${namespace}" cannot generate cluster-scoped resource ${apiVersion}/${kind}`,
    );
  }
  const target = namespaced ? namespace : "";
  const source = namespaceOf(object);
  const metadata: { [name: string]: Json } = {};
  for (const [name, value] of Object.entries(asObject(object["metadata"]) ?? {})) {
    if (given.includes(name) || name === "namespace") continue;
    // An owner in another namespace would be taken for one that is gone.
    if (name === "ownerReferences" && source !== "" && source !== target) continue;
    setField(metadata, name, value);
  }
  if (target !== "") metadata["namespace"] = target;
  return { ...object, metadata };
}

function labelled(object: JsonObject, labels: Readonly<Record<string, string>>): JsonObject {
  if (Object.keys(labels).length === 0) return object;
  const metadata = asObject(object["metadata"]) ?? {};
  return { ...object, metadata: { ...metadata, labels: { ...asObject(metadata["labels"]), ...labels } } };
}
