import type { CompiledRule, Effect, Snapshot } from "../engine/mod.ts";
import { equal, type Fault, isFault, type JsonObject } from "../json/mod.ts";
import type { Ports } from "../ports.ts";
import { isMadeBy, madeLabels, released, sourceOf, targetsOf } from "../rules/mod.ts";
import { downstreamOf, findRule, makerOf, reader } from "./downstream_rules.ts";
import { reconcile } from "./reconcile.ts";

/** The policies and ports with which changes of policies are followed. */
export interface FollowPoliciesOptions {
  readonly snapshot: Snapshot;
  readonly ports: Ports;
}

/** A generate rule of a former set of policies. */
interface FormerRule {
  readonly policy: Snapshot["policies"][number]["policy"];
  readonly rule: CompiledRule;
}

/** The effects of a change of policies, and why those of some rules are missing. */
export interface PolicyFollowUp {
  readonly effects: readonly Effect[];
  readonly fault: Fault | undefined;
}

/**
 * The effects of replacing one set of policies by another: the objects of removed rules are deleted, those of rules
 * with other targets are released. Kyverno parity: only objects of rules that synchronize are deleted, unless the rules
 * orphan them. Pinned by "a clone stays when its rule is deleted in the dialect classic, and is deleted with it in the
 * dialect current", "orphanDownstreamOnPolicyDelete keeps generated objects" and "a rule with another target releases
 * the objects that it generated".
 */
export async function followPolicies(
  before: Snapshot,
  { snapshot, ports }: FollowPoliciesOptions,
): Promise<PolicyFollowUp> {
  const effects: Effect[] = [];
  let fault: Fault | undefined;
  for (const { policy, rules } of before.policies) {
    for (const rule of rules.filter(({ type }) => type === "generate")) {
      const present = findRule(snapshot, makerOf(policy, rule));
      const followed = present === undefined
        ? await deletions({ policy, rule }, ports)
        : await releases({ policy, rule }, present, ports);
      if (isFault(followed)) fault ??= followed;
      else effects.push(...followed);
    }
  }
  return { effects, fault };
}

/**
 * The deletions of what a removed rule generated. Kyverno parity: clones of a policy in CEL stay. Pinned by "clones
 * of a GeneratingPolicy stay when it is deleted".
 */
async function deletions(former: FormerRule, ports: Ports): Promise<readonly Effect[] | Fault> {
  const state = { trigger: "present", source: "none", target: "in-step" } as const;
  const { action, why } = reconcile({ ...state, rule: downstreamOf(former.rule, "deleted") });
  if (action !== "delete") return [];
  const made = await madeBy(former, ports);
  if (isFault(made)) return made;
  const { language } = former.policy;
  return made.filter((object) => language === "classic" || sourceOf(object) === undefined)
    .map((object) => effectOn(former, { verb: "delete", object, reason: why }));
}

/** The updates that release what a rule generated, when it generates something else now. */
async function releases(
  former: FormerRule,
  { rule: { body } }: CompiledRule,
  ports: Ports,
): Promise<readonly Effect[] | Fault> {
  const formerBody = former.rule.rule.body;
  if (formerBody.kind !== "generate" || body.kind !== "generate") return [];
  if (equal(targetsOf(formerBody), targetsOf(body))) return [];
  const made = await madeBy(former, ports);
  if (isFault(made)) return made;
  const reason = "its rule generates something else now";
  return made.map((object) => effectOn(former, { verb: "update", object: released(object), reason }));
}

/** The objects of the cluster whose labels name a rule. */
async function madeBy({ policy, rule }: FormerRule, ports: Ports): Promise<readonly JsonObject[] | Fault> {
  const maker = makerOf(policy, rule), read = reader(ports);
  const matchLabels = { ...madeLabels(maker) };
  const found: JsonObject[] = [];
  for (const type of rule.body.downstream?.types ?? []) {
    const made = await read((objects) => objects.list({ ...type, namespace: "", selector: { matchLabels } }));
    if (isFault(made)) return made;
    found.push(...made.filter((object) => isMadeBy(object, maker)));
  }
  return found;
}

function effectOn(
  { policy, rule }: FormerRule,
  effect: Pick<Effect, "verb" | "object" | "reason">,
): Effect {
  return { ...effect, policy: policy.key, rule: rule.rule.name };
}
