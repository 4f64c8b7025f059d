import type { CompiledPolicy } from "../../engine/mod.ts";
import type { Stages } from "../../json/mod.ts";
import { webhookTimeout } from "./configuration_kinds.ts";
import { everyTarget, type Target, targetsInNamespace, uncoveredBy, webhookRules } from "./target.ts";

/** A policy with its webhook's targets. */
export interface Member {
  readonly compiled: CompiledPolicy;
  readonly targets: readonly Target[];
}

/** The policies of a webhook, and those that have one apart. A policy may be among both, with other targets. */
interface PartedMembers {
  readonly joint: readonly Member[];
  readonly apart: readonly Member[];
}

/**
 * Gives policies of namespaces a webhook apart for requests that no policy of the cluster is about. In a shared webhook
 * the author of such a policy would make the API server call Postern for further objects of all namespaces, and refuse
 * them while no replica answers. Each stage is about one policy.
 */
export function* partedByScope(members: readonly Member[]): Stages<PartedMembers> {
  const ofCluster = members.filter(({ compiled: { policy } }) => policy.namespace === undefined);
  if (ofCluster.length === 0 || ofCluster.length === members.length) return { joint: members, apart: [] };
  const isUncovered = uncoveredBy(targetsTogether(ofCluster));
  const joint = [...ofCluster], apart: Member[] = [];
  for (const { compiled, targets } of members) {
    if (compiled.policy.namespace === undefined) continue;
    yield;
    const { covered = [], uncovered = [] } = Object.groupBy(
      targets,
      (target) => isUncovered(target) ? "uncovered" : "covered",
    );
    if (covered.length > 0) joint.push({ compiled, targets: covered });
    if (uncovered.length > 0) apart.push({ compiled, targets: uncovered });
  }
  return { joint, apart };
}

/**
 * Parts policies so that no namespace gets webhooks for what the policies of another one are about: namespaces whose
 * policies are about the same objects, and give them the same time, share one. Each stage is about one namespace.
 */
export function* partedByNamespace(members: readonly Member[]): Stages<Member[][]> {
  const parts = new Map<string, Member[]>();
  for (const ofNamespace of Map.groupBy(members, ({ compiled }) => compiled.policy.namespace).values()) {
    yield;
    const timeout = webhookTimeout(ofNamespace.map(({ compiled }) => compiled));
    const key = JSON.stringify([timeout, webhookRules(targetsTogether(ofNamespace))]);
    const part = parts.get(key);
    if (part === undefined) parts.set(key, ofNamespace);
    else part.push(...ofNamespace);
  }
  return [...parts.values()];
}

/** The most targets of a webhook: tenants may name thousands of groups and resources. One with more is about all. */
const mostTargets = 10_000;

/** The targets of a webhook of policies. */
export function targetsTogether(members: readonly Member[]): readonly Target[] {
  const count = members.reduce((sum, { targets }) => sum + targets.length, 0);
  if (count <= mostTargets) return members.flatMap(({ targets }) => targets);
  const isOfCluster = members.some(({ compiled: { policy } }) => policy.namespace === undefined);
  return isOfCluster ? [everyTarget] : targetsInNamespace(everyTarget);
}
