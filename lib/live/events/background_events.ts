import { type EffectsResult, isOver } from "../../background/mod.ts";
import type { RuleResult } from "../../engine/mod.ts";
import type { JsonObject } from "../../json/mod.ts";
import { type DecisionContext, resourceOf } from "./admission_events.ts";
import { type PolicyEvent, referenceTo } from "./event.ts";

/** The options of events about background work. */
export type EffectContext = Omit<DecisionContext, "request" | "by">;

const components: Partial<Record<RuleResult["type"], string>> = {
  generate: "kyverno-generate",
  mutateExisting: "kyverno-mutate",
};

/**
 * The events of effects on other objects. Kyverno parity: those of its background controller. Pinned by
 * tests/live/events_test.ts.
 */
export function effectEvents(effects: EffectsResult, context: EffectContext): PolicyEvent[] {
  return effects.results.flatMap(({ policy, rules }) => {
    const object = context.policyObject(policy.kind, policy.key);
    if (object === undefined) return [];
    const named = new Map(rules.map((rule) => [rule.rule, rule]));
    return [...named.values()].flatMap(({ rule, type }): PolicyEvent[] => {
      const component = components[type];
      if (component === undefined) return [];
      const about = { regarding: referenceTo(object), policy: policy.key, rule, component };
      const isOf = (by: { readonly policy: string; readonly rule: string } | undefined): boolean =>
        by?.policy === policy.key && by.rule === rule;
      // Kyverno parity: of a target that does not exist no event says anything. Pinned by "events: a missing target has
      // no event".
      const failures = effects.failures.filter(({ by, nothingToDo }) =>
        isOf(by) && nothingToDo === undefined
      );
      if (failures.length > 0) return failures.map(({ message }) => failed(about, effects, message));
      if (!isOver(effects) || !context.successes) return [];
      const changed = effects.carried.filter((effect) =>
        isOf(effect) && effect.verb !== "delete" && effect.dispensable === undefined
      );
      return changed.flatMap(({ object }) => applied(about, object, type));
    });
  });
}

interface EventParts {
  readonly regarding: JsonObject;
  readonly policy: string;
  readonly rule: string;
  readonly component: string;
}

function applied(
  { regarding, policy, rule, component }: EventParts,
  changed: JsonObject,
  type: RuleResult["type"],
): PolicyEvent[] {
  const related = referenceTo(changed);
  const isNew = type === "generate";
  const about: PolicyEvent = {
    regarding,
    related,
    reason: "PolicyApplied",
    action: isNew ? "Resource Generated" : "Resource Mutated",
    message: isNew ? "resource generated" : "resource mutated",
    component,
  };
  if (!isNew) return [about];
  return [about, {
    regarding: related,
    reason: "PolicyApplied",
    action: "None",
    message: `Created ${changed["kind"]} ${related["name"]} as a result of applying policy ${policy}/${rule}`,
    component,
  }];
}

function failed(
  { regarding, policy, rule, component }: EventParts,
  { request }: EffectsResult,
  cause: string,
): PolicyEvent {
  return {
    regarding,
    related: resourceOf(request),
    reason: "PolicyError",
    action: "None",
    message: `policy ${policy}/${rule} error: ${cause}`,
    component,
  };
}
