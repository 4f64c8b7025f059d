import type { Snapshot } from "../../engine/mod.ts";
import type { ServedResource } from "../../ports.ts";
import { policyTargets } from "../webhooks/policy_targets.ts";

/** Kinds that come and go too often, or are about policies themselves. */
const unscanned = [
  "events",
  "leases",
  "policyreports",
  "clusterpolicyreports",
  "reports",
  "clusterreports",
  "ephemeralreports",
  "clusterephemeralreports",
  "updaterequests",
];

/** The resources that policies are about, as far as their objects can be listed and watched. */
export function scannedResources(snapshot: Snapshot, served: readonly ServedResource[]): ServedResource[] {
  const targets = snapshot.policies.flatMap((compiled) =>
    policyTargets({ ...compiled, policy: { ...compiled.policy, admission: true } }, "validate", served)
  );
  return served.filter((resource) =>
    resource.preferred && resource.verbs.includes("list") && resource.verbs.includes("watch") &&
    !unscanned.includes(resource.plural) &&
    targets.some(({ group, version, resource: plural }) =>
      (group === "*" || group === resource.group) && (version === "*" || version === resource.version) &&
      (plural === "*" || plural === "*/*" || plural === resource.plural)
    )
  );
}
