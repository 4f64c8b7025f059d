import type { CompiledPolicy, CompiledRule, Snapshot } from "../../engine/mod.ts";
import type { JsonObject, Stages } from "../../json/mod.ts";
import { labelsOf } from "../../kube/mod.ts";
import type { ServedResource } from "../../ports.ts";
import { policyTargets } from "../webhooks/policy_targets.ts";
import { openReports, policyReports } from "./report_kind.ts";
import type { Target } from "../webhooks/target.ts";
import type { PolicyVersions } from "./policy_versions.ts";
import { textDigest } from "./text_digest.ts";

/** The kinds that are not scanned: short-lived ones, and those of policies. */
const unscanned = [
  "events",
  "leases",
  ...[policyReports, openReports].flatMap((
    { namespaced, clusterWide },
  ) => [namespaced.path, clusterWide.path]),
  "ephemeralreports",
  "clusterephemeralreports",
  "updaterequests",
];

/** Whether a scan evaluates the policy: it has `background`, and its results are reported. */
export function isScanned({ policy, rules }: CompiledPolicy): boolean {
  return policy.background && isReported(policy.document) &&
    rules.some((rule) => isScannedRule(rule, policy));
}

/** Kyverno parity: a policy with this label is in no report. Pinned by "whose label turns its reports off". */
export function isReported(document: JsonObject): boolean {
  return labelsOf(document)["reports.kyverno.io/disabled"] === undefined;
}

/**
 * Kyverno parity: of mutations, a scan evaluates only those in CEL: an object that they would change violates them.
 * Pinned by "with a mutation in CEL" and "with classic mutations alone".
 */
function isScannedRule({ type }: CompiledRule, { language }: CompiledPolicy["policy"]): boolean {
  return type === "mutate" ? language !== "classic" : type === "validate" || type === "verifyImages";
}

/** A resource that is scanned. */
export interface ScannedResource {
  readonly resource: ServedResource;
  /**
   * Changes when a policy of the cluster for the resource changes: then its objects are scanned again. Empty when only
   * policies of namespaces match the resource.
   */
  readonly version: string;
}

/**
 * The resources that scanned policies match, as far as they can be listed and watched. Each stage is about one policy.
 */
export function* scannedResources(
  snapshot: Snapshot,
  served: readonly ServedResource[],
  versions: PolicyVersions,
): Stages<ScannedResource[]> {
  const followed = served.filter(isFollowed).map((resource) => ({
    resource,
    isMatched: false,
    versions: [] as string[],
  }));
  for (const compiled of snapshot.policies) {
    yield;
    if (!isScanned(compiled)) continue;
    const targets = scannedTargets(compiled, served), isOfCluster = compiled.policy.namespace === undefined;
    for (const each of followed) {
      if (!targets.some((target) => isAbout(target, each.resource))) continue;
      each.isMatched = true;
      if (isOfCluster) each.versions.push(versions.of(compiled, snapshot));
    }
  }
  return followed.filter(({ isMatched }) => isMatched).map(({ resource, versions }) => ({
    resource,
    version: versions.length === 0 ? "" : textDigest(versions.join("\n")),
  }));
}

/**
 * For each namespace with scanned policies a text that changes when one of them does: then it is scanned again. Each
 * stage is about one policy.
 */
export function* namespaceVersions(
  snapshot: Snapshot,
  versions: PolicyVersions,
): Stages<ReadonlyMap<string, string>> {
  const found = new Map<string, string[]>();
  for (const compiled of snapshot.policies) {
    yield;
    const { namespace } = compiled.policy;
    if (namespace === undefined || !isScanned(compiled)) continue;
    const version = versions.of(compiled, snapshot), others = found.get(namespace);
    if (others === undefined) found.set(namespace, [version]);
    else others.push(version);
  }
  return new Map([...found].map(([namespace, each]) => [namespace, textDigest(each.join("\n"))]));
}

/**
 * The resources of which policies delete objects. Short-lived kinds and those of policies are deleted where a policy
 * names them: a wildcard does not mean the Leases of the cluster's components.
 */
export function deletedResources(snapshot: Snapshot, served: readonly ServedResource[]): ServedResource[] {
  const targets = snapshot.policies.flatMap((compiled) => scannedTargets(compiled, served));
  return served.filter((resource) =>
    resource.preferred && ["list", "delete"].every((verb) => resource.verbs.includes(verb)) &&
    targets.some((target) =>
      isAbout(target, resource) &&
      (target.resource === resource.plural || !unscanned.includes(resource.plural))
    )
  );
}

function isFollowed({ preferred, verbs, plural }: ServedResource): boolean {
  return preferred && verbs.includes("list") && verbs.includes("watch") && !unscanned.includes(plural);
}

/** The resources that a scan reads for a policy. */
export function scannedTargets(
  { policy, rules, ...rest }: CompiledPolicy,
  served: readonly ServedResource[],
): Target[] {
  const scanned = rules.filter((rule) => isScannedRule(rule, policy));
  const compiled = { ...rest, rules: scanned, policy: { ...policy, admission: true } };
  return (["validate", "mutate"] as const).flatMap((phase) => policyTargets(compiled, phase, served));
}

function isAbout({ group, version, resource: plural }: Target, resource: ServedResource): boolean {
  return (group === "*" || group === resource.group) && (version === "*" || version === resource.version) &&
    (plural === "*" || plural === "*/*" || plural === resource.plural);
}
