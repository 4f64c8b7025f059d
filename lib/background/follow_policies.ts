import type { Effect, Snapshot } from "../engine/mod.ts";
import { equal, type Fault, isFault, type JsonObject } from "../json/mod.ts";
import { policyKey } from "../policy/mod.ts";
import type { Ports } from "../ports.ts";
import { isMadeBy, madeLabels, released, sourceOf, targetsOf } from "../rules/mod.ts";
import { findRule, reader } from "./downstream_rules.ts";
import type { FormerRule } from "./former_rules.ts";
import { reconcile } from "./reconcile.ts";

/** The policies and ports with which changes of policies are followed. */
export interface FollowRuleOptions {
  readonly snapshot: Snapshot;
  readonly ports: Ports;
}

/**
 * The effects of replacing a set of policies with a generate rule by another set, or why they could not be found: the
 * objects of a removed rule are deleted, those of a rule with other targets are released. Kyverno parity: only objects
 * of rules that synchronize are deleted, unless the rules orphan them. Pinned by "a clone stays when its rule is
 * deleted in the dialect classic, and is deleted with it in the dialect current", "orphanDownstreamOnPolicyDelete keeps
 * generated objects" and "a rule with another target releases the objects that it generated".
 */
export async function followRule(
  former: FormerRule,
  { snapshot, ports }: FollowRuleOptions,
): Promise<readonly Effect[] | Fault> {
  const { action, why } = changeOf(former, snapshot);
  if (action === "leave") return [];
  const made = await madeBy(former, ports);
  if (isFault(made)) return made;
  const { maker } = former;
  const about = { policy: policyKey(maker.policy), rule: maker.rule, reason: why };
  if (action === "release") {
    return made.map((object) => ({ ...about, verb: "update", object: released(object) }));
  }
  // Kyverno parity: clones of a policy in CEL stay. Pinned by "clones of a GeneratingPolicy stay when it is deleted".
  return made.filter((object) => maker.language === "classic" || sourceOf(object) === undefined)
    .map((object) => ({ ...about, verb: "delete", object }));
}

/** The fate of the objects of a former rule under other policies. */
function changeOf(
  { maker, settings, targets }: FormerRule,
  snapshot: Snapshot,
): { readonly action: "delete" | "release" | "leave"; readonly why: string } {
  const present = findRule(snapshot, maker);
  if (present === undefined) {
    const rule = { ...settings, state: "deleted" } as const;
    const { action, why } = reconcile({ trigger: "present", source: "none", target: "in-step", rule });
    return { action: action === "delete" ? "delete" : "leave", why };
  }
  const { body } = present.rule;
  const isSame = targets === undefined || body.kind !== "generate" || equal(targets, targetsOf(body));
  return isSame
    ? { action: "leave", why: "its rule generates the same" }
    : { action: "release", why: "its rule generates something else now" };
}

/** The objects of the cluster whose labels name a rule. */
async function madeBy({ maker, types }: FormerRule, ports: Ports): Promise<readonly JsonObject[] | Fault> {
  const read = reader(ports);
  const matchLabels = { ...madeLabels(maker) };
  const found: JsonObject[] = [];
  for (const type of types) {
    const made = await read((objects) => objects.list({ ...type, namespace: "", selector: { matchLabels } }));
    if (isFault(made)) return made;
    found.push(...made.filter((object) => isMadeBy(object, maker)));
  }
  return found;
}
