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

/** The collections that background policies are about, as paths. */
export function scanPaths(snapshot: Snapshot, served: readonly ServedResource[]): string[] {
  const targets = snapshot.policies.flatMap((compiled) =>
    policyTargets({ ...compiled, policy: { ...compiled.policy, admission: true } }, "validate", served)
  );
  const wanted = served.filter((resource) =>
    resource.preferred && resource.verbs.includes("list") && resource.verbs.includes("watch") &&
    !unscanned.includes(resource.plural) &&
    targets.some(({ group, version, resource: plural }) =>
      (group === "*" || group === resource.group) && (version === "*" || version === resource.version) &&
      (plural === "*" || plural === "*/*" || plural === resource.plural)
    )
  );
  return [
    ...new Set(
      wanted.map(({ group, version, plural }) =>
        group === "" ? `/api/${version}/${plural}` : `/apis/${group}/${version}/${plural}`
      ),
    ),
  ];
}
