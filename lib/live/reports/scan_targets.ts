import type { CompiledPolicy, CompiledRule, Snapshot } from "../../engine/mod.ts";
import type { JsonObject } from "../../json/mod.ts";
import { labelsOf } from "../../kube/mod.ts";
import type { ServedResource } from "../../ports.ts";
import { policyTargets } from "../webhooks/policy_targets.ts";
import { openReports, policyReports } from "./report_kind.ts";
import type { Target } from "../webhooks/target.ts";

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
  /** Changes when a policy of the cluster for the resource changes: then its objects are scanned again. */
  readonly version: string;
}

/** The resources that scanned policies match, as far as they can be listed and watched. */
export function scannedResources(
  snapshot: Snapshot,
  served: readonly ServedResource[],
): ScannedResource[] {
  const policies = snapshot.policies.filter(isScanned).map((compiled) => ({
    targets: scannedTargets(compiled, served),
    versions: compiled.policy.namespace === undefined ? [versionOf(compiled, snapshot)] : [],
  }));
  return served.filter(isFollowed).flatMap((resource) => {
    const about = policies.filter(({ targets }) => targets.some((target) => isAbout(target, resource)));
    return about.length === 0
      ? []
      : [{ resource, version: about.flatMap(({ versions }) => versions).join("\n") }];
  });
}

/** For each namespace with scanned policies a text that changes when one of them does: then it is scanned again. */
export function namespaceVersions(snapshot: Snapshot): ReadonlyMap<string, string> {
  const versions = new Map<string, string>();
  for (const compiled of snapshot.policies) {
    const { namespace } = compiled.policy;
    if (namespace === undefined || !isScanned(compiled)) continue;
    versions.set(namespace, `${versions.get(namespace) ?? ""}${versionOf(compiled, snapshot)}\n`);
  }
  return versions;
}

/**
 * The resources of which policies delete objects. Short-lived kinds and those of policies are deleted where a policy
 * names them: a wildcard does not mean the Leases of the cluster's own parts.
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

/** The inputs of a policy's results besides loaded values: its text, and its exceptions. */
function versionOf({ policy, rules }: CompiledPolicy, { others }: Snapshot): string {
  const { metadata, spec = null, kind = "" } = policy.document;
  const { annotations = null, labels = null } = metadata as JsonObject;
  const exceptions = rules.flatMap((rule) => rule.exceptions.all.map(({ exception }) => exception));
  const celExceptions = policy.language === "classic"
    ? []
    : others.filter((other) => other.kind === "PolicyException").map(({ document }) =>
      document["spec"] ?? null
    );
  return JSON.stringify([kind, policy.key, annotations, labels, spec, exceptions, celExceptions]);
}
