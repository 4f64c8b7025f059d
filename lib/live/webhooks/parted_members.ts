import type { CompiledPolicy } from "../../engine/mod.ts";
import { type Target, uncoveredBy } from "./target.ts";

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
 * Parts policies of namespaces from those of the cluster, as far as these have no webhook for their requests: their
 * authors may not make the API server call, and refuse where no replica answers, for further objects elsewhere.
 */
export function partedByScope(members: readonly Member[]): PartedMembers {
  const ofCluster = members.filter(({ compiled: { policy } }) => policy.namespace === undefined);
  if (ofCluster.length === 0 || ofCluster.length === members.length) return { joint: members, apart: [] };
  const isUncovered = uncoveredBy(ofCluster.flatMap(({ targets }) => targets));
  const ofNamespaces = members.filter(({ compiled: { policy } }) => policy.namespace !== undefined);
  return {
    joint: [...ofCluster, ...withTargets(ofNamespaces, (target) => !isUncovered(target))],
    apart: withTargets(ofNamespaces, isUncovered),
  };
}

/** The policies with some of their targets, if they have any of those. */
function withTargets(members: readonly Member[], isMeant: (target: Target) => boolean): Member[] {
  return members.map(({ compiled, targets }) => ({ compiled, targets: targets.filter(isMeant) }))
    .filter(({ targets }) => targets.length > 0);
}
