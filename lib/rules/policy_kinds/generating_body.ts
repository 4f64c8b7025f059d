import { failure, isCelFault, type Program } from "../../cel/mod.ts";
import type { LoadTracker } from "../../context/mod.ts";
import { asList, asString, dig, Fault, field, isFault, isObject, type JsonObject } from "../../json/mod.ts";
import { namespaceOf } from "../../kube/mod.ts";
import {
  type CelEvaluation,
  compileAuditAnnotations,
  compileMatchConditions,
  type ExpressionSet,
  kyvernoTexts,
  type MatchConditions,
  typesRead,
  wanted,
} from "../cel/mod.ts";
import { type Effect, error, fail, type Outcome, pass } from "../outcome.ts";
import { downstreamNeeds } from "../downstream_needs.ts";
import type { CompiledBody, Downstream, ObjectType, RuleInput } from "../rule_kind.ts";
import { compileExemptions } from "./exceptions.ts";
import { inNamespace, isCopy, opened } from "./generated_object.ts";
import { type Generated, type GenerationOptions, planGenerated, planWithdrawal } from "./generated_plan.ts";
import { compileGenerationTemplate, type GenerationTemplate } from "./generation_template.ts";
import { defineVariables, kyvernoEvaluation, kyvernoExpressions, properties } from "./kyverno_expressions.ts";
import type { PolicyTools } from "./policy_kind.ts";

type Generation = { readonly program: Program | undefined } | { readonly template: GenerationTemplate };

/** Whether generated objects follow their trigger and the policy. */
export function synchronizes(spec: JsonObject): boolean {
  return dig(spec, "evaluation", "synchronize", "enabled") === true;
}

function orphans(spec: JsonObject): boolean {
  return dig(spec, "evaluation", "orphanDownstreamOnPolicyDelete", "enabled") === true;
}

type TakeObjects = (namespace: string, objects: readonly JsonObject[]) => Fault | undefined;

/** The compiled spec of a GeneratingPolicy. It evaluates the generations, and plans what to create and delete. */
export class GeneratingBody implements CompiledBody {
  readonly appliesToExisting: boolean;
  readonly downstream: Downstream;
  readonly #policy: PolicyTools["policy"];
  readonly #expressions: ExpressionSet;
  readonly #conditions: MatchConditions;
  readonly #exempt: ReturnType<typeof compileExemptions>;
  readonly #generations: readonly Generation[];
  readonly #annotate: ReturnType<typeof compileAuditAnnotations>;

  constructor(spec: JsonObject, tools: PolicyTools) {
    const expressions = kyvernoExpressions(tools, { purpose: "generate", literals: "mixed" });
    this.#policy = tools.policy;
    this.#expressions = expressions;
    this.#conditions = compileMatchConditions(field(spec, "matchConditions"), expressions, {
      path: ["spec", "matchConditions"],
      texts: kyvernoTexts,
    });
    this.#exempt = compileExemptions(tools, expressions);
    defineVariables(expressions, field(spec, "variables"));
    this.#generations = asList(field(spec, "generate")).filter(isObject).map((entry, index) =>
      compileGeneration(entry, index, expressions)
    );
    this.#annotate = compileAuditAnnotations(field(spec, "auditAnnotations"), expressions, {
      path: ["spec", "auditAnnotations"],
      quoted: JSON.stringify,
    });
    const types = typesMade(this.#generations, expressions);
    for (const need of downstreamNeeds(types)) tools.need(need);
    this.appliesToExisting = tools.policy.generateExisting;
    this.downstream = {
      synchronize: synchronizes(spec),
      onPolicyDelete: orphans(spec) ? "orphan" : "delete",
      types,
      dependsOnRequest: readsRequest(expressions),
    };
  }

  run(input: RuleInput): Outcome | undefined {
    const trigger = input.resource ?? input.oldResource;
    if (trigger === undefined) return undefined;
    const generated: Generated[] = [];
    const take = this.#collector(generated, trigger, input.context.tracker);
    const { evaluation, allow } = kyvernoEvaluation(this.#expressions, input, {
      generate: (namespace, objects) => {
        const denial = take(namespace, objects);
        return denial && failure(denial.message);
      },
    });
    const options = { policy: this.#policy, synchronize: this.downstream.synchronize, trigger, input };
    if (input.triggerGone) return this.#withdraw(options, evaluation, { generated, take });
    const exemption = this.#exempt(evaluation, input.context.environment.now());
    if (isFault(exemption)) return failed(exemption.message);
    if ("outcome" in exemption) return exemption.outcome;
    allow(exemption.allowed);
    const applies = this.#conditions(evaluation);
    if (isFault(applies)) return failed(applies.message);
    if (!applies) return undefined;
    const fault = this.#generate(evaluation, take);
    if (fault !== undefined) return failed(fault.message);
    const annotations = this.#annotate(evaluation);
    if (isFault(annotations)) return failed(annotations.message);
    const effects = planGenerated(generated, options);
    if (isFault(effects)) return failed(effects.message);
    if (options.synchronize && input.operation === "UPDATE") {
      effects.push(...this.#planStale(generated, options, effects));
    }
    return {
      ...pass("policy evaluated successfully"),
      ...properties(annotations),
      ...(effects.length > 0 && { effects }),
    };
  }

  /**
   * Plans the deletion of what was generated for a trigger to which the policy applied. When that cannot be decided any
   * more, the labels of the objects decide alone.
   */
  #withdraw(
    options: GenerationOptions,
    evaluation: CelEvaluation,
    { generated, take }: { readonly generated: readonly Generated[]; readonly take: TakeObjects },
  ): Outcome | undefined {
    const applied = this.#conditions(evaluation);
    if (applied === false) return undefined;
    if (!options.synchronize) return fail("");
    // A generation may name types that the policy's text does not show.
    this.#generate(evaluation, take);
    const effects = planWithdrawal(this.#typesOf(generated), options);
    if (isFault(effects)) return failed(effects.message);
    return { ...fail(""), ...(effects.length > 0 && { effects }) };
  }

  /**
   * Plans the deletion of what the policy generated for the trigger before its update, and generates no longer; of
   * nothing when a type cannot be listed, which the next comparison reports. Kyverno parity: pinned by "the update of a
   * trigger deletes what a GeneratingPolicy makes for it no longer".
   */
  #planStale(
    generated: readonly Generated[],
    options: GenerationOptions,
    effects: readonly Effect[],
  ): Effect[] {
    const kept = [...generated, ...effects].map(({ object }) => object);
    const stale = planWithdrawal(this.#typesOf(generated), options, kept);
    return isFault(stale) ? [] : stale;
  }

  /** The types of the objects that the policy generates, as far as its text and one generation show them. */
  #typesOf(generated: readonly Generated[]): readonly ObjectType[] {
    return distinct([...this.downstream.types, ...generated.map(({ object }) => typeOfObject(object))]);
  }

  #generate(evaluation: CelEvaluation, take: TakeObjects): Fault | undefined {
    for (const generation of this.#generations) {
      const fault = "template" in generation
        ? this.#fromTemplate(generation.template.render(evaluation), take)
        : fromExpression(generation.program, evaluation);
      if (fault !== undefined) return fault;
    }
    return undefined;
  }

  /** Collects generated objects, each in the namespace that it was generated for. */
  #collector(generated: Generated[], trigger: JsonObject, tracker: LoadTracker): TakeObjects {
    return (namespace, objects) => {
      for (const object of objects.flatMap(opened)) {
        const tooLarge = tracker.countWritten(object);
        if (tooLarge !== undefined) return tooLarge;
        const scoped = inNamespace(object, namespace, this.#policy);
        if (isFault(scoped)) return scoped;
        generated.push({ object: scoped, source: isCopy(object, trigger) ? object : undefined });
      }
      return undefined;
    };
  }

  #fromTemplate(
    objects: readonly JsonObject[] | Fault,
    take: TakeObjects,
  ): Fault | undefined {
    if (isFault(objects)) return objects;
    for (const object of objects) {
      const namespace = namespaceOf(object);
      if (this.#policy.namespace !== undefined && namespace !== "" && namespace !== this.#policy.namespace) {
        return new Fault(
          `cross-namespace generation denied: a policy in namespace "${this.#policy.namespace}" cannot generate resources into namespace "${namespace}"`,
        );
      }
      const fault = take(this.#policy.namespace ?? namespace, [object]);
      if (fault !== undefined) return new Fault(`failed to generate resources: ${fault.message}`);
    }
    return undefined;
  }
}

/** The types of the objects in templates and expressions, and of those that may be copied. */
function typesMade(generations: readonly Generation[], { programs }: ExpressionSet): readonly ObjectType[] {
  const types = [
    ...generations.flatMap((generation) => "template" in generation ? generation.template.types : []),
    ...programs.flatMap((program) => [...program.facts.objects, ...typesRead(program)]),
  ];
  return distinct(types);
}

function distinct(types: readonly ObjectType[]): readonly ObjectType[] {
  return [...new Map(types.map((type) => [`${type.apiVersion}/${type.kind}`, type])).values()];
}

function typeOfObject({ apiVersion, kind }: JsonObject): ObjectType {
  return { apiVersion: asString(apiVersion) ?? "", kind: asString(kind) ?? "" };
}

/** The fields of a request that a stored trigger shows, too. */
const shown = new Set(
  ["kind", "name", "namespace", "object", "requestKind", "requestResource", "resource", "subResource"].map((
    field,
  ) => `request.${field}`),
);

/** Whether expressions read what only the request of a trigger has: its user, its operation, the old object. */
function readsRequest({ programs }: ExpressionSet): boolean {
  return programs.flatMap(({ facts }) => [...facts.fields]).some((field) =>
    /^(?:request|oldObject|authorizer)\b/.test(field) && !shown.has(field)
  );
}

function compileGeneration(entry: JsonObject, index: number, expressions: ExpressionSet): Generation {
  const path = ["spec", "generate", index];
  const value = asString(dig(entry, "template", "value"));
  if (value === undefined) {
    const text = asString(field(entry, "expression")) ?? "";
    return { program: expressions.compile(text, [...path, "expression"], wanted.bool) };
  }
  const interpolate = dig(entry, "template", "interpolate") === "cel";
  return {
    template: compileGenerationTemplate({ value, interpolate }, expressions, [...path, "template", "value"]),
  };
}

function failed(cause: string): Outcome {
  return error(`failed to evaluate policy: ${cause}`);
}

/** Evaluates an expression for the objects that it generates; its value is ignored. */
function fromExpression(program: Program | undefined, evaluation: CelEvaluation): Fault | undefined {
  if (program === undefined) return new Fault("an expression does not compile");
  const value = evaluation.evaluate(program);
  return isCelFault(value) ? value : undefined;
}
