import type { Conditions } from "../condition/mod.ts";
import type { Context, LoopProgress } from "../context/mod.ts";
import { dig, Fault, isFault, type Json, type JsonObject } from "../json/mod.ts";
import type { Dialect } from "../match/mod.ts";
import { policyKey } from "../policy/mod.ts";
import { hasVariables } from "../template/mod.ts";
import { ruleConditions } from "./conditions.ts";
import { type DownstreamOptions, failed, joined, type Plan } from "./downstream_plan.ts";
import {
  compileGeneratePattern,
  type GeneratePattern,
  type GeneratePatternSpec,
  typesOf,
} from "./generate_pattern.ts";
import { compileLoop, elementsOf, type Loop, type LoopSpec, stopped } from "./loop.ts";
import { type Effect, fail, pass } from "./outcome.ts";
import { type Owner, ownerLabels } from "./owner_labels.ts";
import type { CompiledBody, Downstream, RuleInput, RuleTools } from "./rule_kind.ts";
import { describe, type KindReference, objectsInCluster, triggerAlone } from "./cluster_objects.ts";

/** Generates objects for the request's object, the trigger. */
export interface GenerateBody {
  readonly kind: "generate";
  /** Whether generated objects are kept in step with the rule, and deleted with their trigger. */
  readonly synchronize: boolean;
  readonly orphanDownstreamOnPolicyDelete: boolean;
  /**
   * Whether the rule generates for triggers that exist when its policy comes into force; `undefined` where the policy
   * decides.
   */
  readonly generateExisting: boolean | undefined;
  /** One pattern, or one for each entry of `foreach`. */
  readonly patterns: readonly GenerateEntry[];
}

/** A pattern with the loop around it; `loop` is `undefined` for the pattern of the rule itself. */
export interface GenerateEntry {
  readonly loop: LoopSpec | undefined;
  readonly pattern: GeneratePatternSpec;
}

/**
 * Compiles a rule that generates objects for a trigger. The rule plans which objects to create or update, and which to
 * delete once the trigger is gone; `lib/background` carries the plan out. Kyverno parity: the rule passes when it
 * applies, even if nothing can be planned; the outcome then has plan errors. Pinned by "a variable that cannot
 * be resolved is a plan error".
 */
export function compileGenerate(body: GenerateBody, tools: RuleTools): CompiledBody {
  const { synchronize, patterns } = body;
  const entries = patterns.map((pattern, index) => compileEntry(pattern, index, tools));
  const { rule, policy: { name, namespace, useServerSideApply, generateExisting } } = tools;
  return {
    appliesToExisting: body.generateExisting ?? generateExisting,
    downstream: downstreamOf(body, tools.dialect),
    run(input) {
      const trigger = input.resource ?? input.oldResource;
      if (trigger === undefined) return undefined;
      const { tracker } = input.context;
      const options: DownstreamOptions = {
        owner: { policy: { name, namespace }, rule: rule.name, trigger },
        clusterObjects: tracker.serves("downstream") ? objectsInCluster(tracker) : triggerAlone(trigger),
        existing: synchronize ? "synchronize" : "leave",
        writing: useServerSideApply ? "apply" : "replace",
      };
      const triggerGone = input.triggerGone === true;
      const { effects, failures } = !triggerGone
        ? joined(entries.map((entry) => entry.plan(input.context, options)))
        : synchronize
        ? withdraw(entries, input, options)
        : nothing;
      return {
        ...(triggerGone ? fail("") : pass("")),
        ...(effects.length > 0 && { effects }),
        ...(failures.length > 0 && { planErrors: failures }),
      };
    },
  };
}

/**
 * Kyverno parity: in the dialect `classic` one clone outlives its policy, a list of clones does not; Kyverno 1.19 also
 * deletes the one. Pinned by "a clone stays when its rule is deleted in the dialect classic, and is deleted with it in
 * the dialect current".
 */
function downstreamOf(
  { synchronize, orphanDownstreamOnPolicyDelete, patterns }: GenerateBody,
  dialect: Dialect,
): Downstream {
  const types = patterns.flatMap(({ pattern }) => typesOf(pattern));
  return {
    synchronize,
    onPolicyDelete: orphanDownstreamOnPolicyDelete ||
        dialect === "classic" && patterns.some(({ pattern: { clone } }) => clone !== undefined)
      ? "orphan"
      : "delete",
    types: types.filter(({ apiVersion, kind }) => kind !== "" && !hasVariables(apiVersion + kind)),
    dependsOnRequest: false,
  };
}

/** A compiled pattern: that of a generate rule, or of one entry of its foreach. */
interface CompiledEntry {
  plan(context: Context, options: DownstreamOptions): Plan;
  readonly pattern: GeneratePattern;
}

const nothing: Plan = { effects: [], failures: [] };

function compileEntry(
  { loop, pattern: written }: GenerateEntry,
  index: number,
  tools: RuleTools,
): CompiledEntry {
  if (loop !== undefined) return compileLoopEntry(loop, written, { index, tools });
  const pattern = compileGeneratePattern(written, tools, ["generate"]);
  return { pattern, plan: pattern.plan };
}

function compileLoopEntry(
  spec: LoopSpec,
  written: GeneratePatternSpec,
  { index, tools }: { readonly index: number; readonly tools: RuleTools },
): CompiledEntry {
  const path = ["generate", "foreach", index];
  const loop: Loop = compileLoop(spec, { nesting: 0, path }, tools);
  const conditions: Conditions | undefined = spec.preconditions === undefined
    ? undefined
    : ruleConditions(spec.preconditions, tools, [...path, "preconditions"]);
  const pattern = compileGeneratePattern(written, tools, path);
  return {
    pattern,
    plan(context, options) {
      const progress = context.tracker.loop<readonly Plan[]>(() => []);
      const elements = elementsOf(loop, progress, context);
      if (isFault(elements)) {
        return failed(new Fault(`failed to evaluate ${index} foreach list: ${elements.message}`));
      }
      return joined(plansOf(elements, { progress, context }, (element, at) => {
        const iteration = loop.enter(context, element, at);
        if (iteration === undefined) return nothing;
        if (conditions !== undefined) {
          const verdict = conditions.evaluate(iteration.context, iteration.context.environment);
          if (isFault(verdict)) {
            return failed(new Fault(`failed to evaluate preconditions: ${verdict.message}`));
          }
          if (!verdict.holds) return nothing;
        }
        return pattern.plan(iteration.context, options);
      }));
    },
  };
}

/**
 * The plans of all elements. Other requests have their turn between elements: anybody who may create an object decides
 * how many it has. Kyverno parity: an element that fails does not keep the others from being generated. Pinned by "an
 * element that fails does not stop the others".
 */
function plansOf(
  elements: readonly Json[],
  { progress, context: { tracker } }: {
    readonly progress: LoopProgress<readonly Plan[]>;
    readonly context: Context;
  },
  planOf: (element: Json, at: number) => Plan,
): readonly Plan[] {
  const first = progress.done, plans = progress.state.slice(0, first);
  for (let at = first; at < elements.length; at++) {
    if (tracker.isComplete && at > progress.done) progress.advanceTo(at, plans);
    const goAhead = tracker.beforeElement(at > first);
    if (goAhead !== "go") return [...plans, failed(new Fault(stopped(goAhead)))];
    plans.push(planOf(elements[at]!, at));
  }
  if (tracker.isComplete) progress.advanceTo(elements.length, plans);
  return plans;
}

/**
 * Plans the deletion of the objects that the rule generated for a trigger that is gone or no longer matches. Owner
 * labels identify them.
 */
function withdraw(
  entries: readonly CompiledEntry[],
  { context }: RuleInput,
  { owner, clusterObjects }: DownstreamOptions,
): Plan {
  if (dig(owner.trigger, "metadata", "uid") === undefined) {
    return failed(new Fault(`${describe(owner.trigger)} has no uid to find by what was made for it`));
  }
  const kinds = new Map<string, KindReference>();
  const failures: string[] = [];
  for (const { pattern } of entries) {
    const made = pattern.kinds(context);
    if (isFault(made)) failures.push(made.message);
    else for (const kind of made) kinds.set(`${kind.apiVersion}/${kind.kind}`, kind);
  }
  const effects: Effect[] = [];
  for (const kind of kinds.values()) {
    const downstream = clusterObjects.list({
      ...kind,
      namespace: "",
      selector: { matchLabels: { ...ownerLabels(owner) } },
    });
    if (isFault(downstream)) failures.push(downstream.message);
    else for (const object of downstream) effects.push(deletion(object, owner));
  }
  return { effects, failures };
}

function deletion(object: JsonObject, { policy, rule, trigger }: Owner): Effect {
  return {
    verb: "delete",
    object,
    policy: policyKey(policy),
    rule,
    reason: `${describe(trigger)}, for which it was generated, is gone or no longer matches`,
  };
}
