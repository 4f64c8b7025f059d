import type { CompiledPolicy } from "../../engine/mod.ts";
import { asList, asObject, isObject, type Json, type JsonObject } from "../../json/mod.ts";
import type { ConstraintSection } from "../../policy/mod.ts";
import type { ServedResource } from "../../ports.ts";
import type { RequestFilters, WebhookSettings } from "../configuration.ts";
import { type Installation, managedBy } from "../installation.ts";
import { familyOf, isGenerating, webhookFamilies, type WebhookFamily } from "./families.ts";
import { policyConditions } from "./match_conditions.ts";
import { policyTargets } from "./policy_targets.ts";
import type { WebhookPhase } from "../../engine/mod.ts";
import { type Target, webhookRules } from "./target.ts";
import { apiServerUser, notAboutKinds, notByGroups, notByUsers, unseenKinds } from "./unseen_requests.ts";

/** The policies and settings from which webhook configurations are made. */
export interface WebhookInput {
  readonly policies: readonly CompiledPolicy[];
  readonly served: readonly ServedResource[];
  readonly installation: Installation;
  readonly settings: WebhookSettings;
  /** Requests that no policy sees: webhooks that refuse without a replica are not called for them. */
  readonly filters: RequestFilters;
}

const kindOf: Readonly<Record<WebhookPhase, string>> = {
  validate: "ValidatingWebhookConfiguration",
  mutate: "MutatingWebhookConfiguration",
};

/** The most characters of a policy's key in a webhook's name, which has at most 253 (RFC 1123). */
const longestKeyInName = 180;

const defaultTimeout = 10;
/** The most seconds that the API server allows. */
const longestTimeout = 30;

/** The names of the two configurations about resources. */
export function resourceConfigurationNames(prefix: string): Readonly<Record<WebhookPhase, string>> {
  return {
    validate: `${prefix}-resource-validating-webhook-cfg`,
    mutate: `${prefix}-resource-mutating-webhook-cfg`,
  };
}

/** The two configurations for resources. Without policies they have no webhooks. */
export function resourceConfigurations(input: WebhookInput): JsonObject[] {
  const { installation: { prefix }, settings } = input;
  return (["validate", "mutate"] as const).map((phase) => ({
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: kindOf[phase],
    metadata: {
      name: resourceConfigurationNames(prefix)[phase],
      labels: { ...settings.labels, ...managedBy },
      annotations: { "admissions.enforcer/disabled": "true", ...settings.annotations },
    },
    webhooks: webhookFamilies.filter(({ phases }) => phases.includes(phase))
      .flatMap((family) => groupsOf(input, { family, phase }))
      .map((group) => webhook(group, input))
      .sort((left, right) => left.name < right.name ? -1 : left.name > right.name ? 1 : 0),
  }));
}

/** The policies of one webhook. */
interface Group {
  readonly family: WebhookFamily;
  readonly phase: WebhookPhase;
  readonly failurePolicy: "Fail" | "Ignore";
  readonly members: readonly Member[];
  /** The key of the only policy, when its webhook is separate. */
  readonly policyKey: string | undefined;
  /** The number of the webhook among those that share a name otherwise, from 1. */
  readonly part: number;
}

/** A policy with its webhook's targets. */
interface Member {
  readonly compiled: CompiledPolicy;
  readonly targets: readonly Target[];
}

/** The most policies in a path: a longer path would come near the limit of HTTP servers. */
const mostInPath = 40;

function groupsOf(
  { policies, served }: WebhookInput,
  { family, phase }: Pick<Group, "family" | "phase">,
): Group[] {
  const groups = new Map<string, Group>();
  for (const compiled of policies) {
    if (familyOf(compiled) !== family) continue;
    const targets = policyTargets(compiled, phase, served);
    if (targets.length === 0) continue;
    const { policy } = compiled;
    const failurePolicy = isGenerating(compiled) ? "Ignore" : policy.failurePolicy;
    const policyKey = needsSeparateWebhook(compiled) ? policy.key : undefined;
    const key = JSON.stringify([
      failurePolicy,
      policyKey ?? "",
      policyKey === undefined ? selectorsOf(compiled) : "",
    ]);
    const existing = groups.get(key);
    const members = [...existing?.members ?? [], { compiled, targets }];
    groups.set(key, { family, phase, failurePolicy, members, policyKey, part: 1 });
  }
  return numbered([...groups.values()].flatMap(inParts));
}

/**
 * Splits a group whose path would be too long. Paths of kyverno.io's kinds do not name policies, so they are never
 * split.
 */
function inParts(group: Group): Group[] {
  const { family, members } = group;
  if (family.word === "" || members.length <= mostInPath) return [group];
  return Array.from({ length: Math.ceil(members.length / mostInPath) }, (_, index) => ({
    ...group,
    members: members.slice(index * mostInPath, (index + 1) * mostInPath),
  }));
}

/** Numbers the webhooks of one configuration that would have the same name. */
function numbered(groups: readonly Group[]): Group[] {
  const counts = new Map<string, number>();
  return groups.map((group) => {
    const name = nameOf(group, "");
    const part = (counts.get(name) ?? 0) + 1;
    counts.set(name, part);
    return { ...group, part };
  });
}

function nameOf({ family, phase, failurePolicy, policyKey, part }: Group, prefix: string): string {
  const word = family.word === "" ? "" : `${family.word}.`;
  const suffix = policyKey === undefined ? "" : `-finegrained-${policyKey.replaceAll("/", "-")}`;
  const number = part === 1 ? "" : `-${part}`;
  return `${word}${phase}.${prefix}.svc-${failurePolicy.toLowerCase()}${suffix}${number}`;
}

/**
 * Kyverno parity: a policy with conditions, an exact match or a timeout of its own has a webhook of its own. Pinned
 * by "webhooks: policies of each failurePolicy share one, and policies with match conditions get separate ones".
 */
function needsSeparateWebhook(compiled: CompiledPolicy): boolean {
  const { policy } = compiled;
  if (policy.key.length > longestKeyInName) return false;
  if (policyConditions(compiled).length > 0) return true;
  if (familyOf(compiled)?.word === "") return false;
  return constraintsOf(compiled)?.matchPolicy === "Exact" || policy.timeoutSeconds !== undefined;
}

function constraintsOf({ policy }: CompiledPolicy): ConstraintSection | undefined {
  return policy.language === "cel" ? policy.sections.constraints : undefined;
}

function selectorsOf(compiled: CompiledPolicy): JsonObject {
  const constraints = constraintsOf(compiled);
  return {
    namespaceSelector: constraints?.namespaceSelector ?? null,
    objectSelector: constraints?.objectSelector ?? null,
  };
}

function webhook(group: Group, input: WebhookInput): JsonObject & { name: string } {
  const { installation, settings } = input;
  const { phase, failurePolicy, members, policyKey } = group;
  const { compiled } = members[0]!;
  const timeouts = members.map((member) => member.compiled.policy.timeoutSeconds ?? 0);
  const conditions = [...settings.matchConditions, ...conditionsOf(group, input)];
  return {
    name: nameOf(group, installation.prefix),
    clientConfig: clientConfig(installation, pathOf(group)),
    rules: webhookRules(members.flatMap(({ targets }) => targets)) as unknown as Json,
    failurePolicy,
    matchPolicy: policyKey === undefined
      ? "Equivalent"
      : constraintsOf(compiled)?.matchPolicy ?? "Equivalent",
    sideEffects: "NoneOnDryRun",
    timeoutSeconds: Math.min(longestTimeout, Math.max(defaultTimeout, ...timeouts)),
    admissionReviewVersions: ["v1"],
    ...selectors(compiled, settings),
    ...(conditions.length > 0 && { matchConditions: conditions }),
    ...(phase === "mutate" && { reinvocationPolicy: "IfNeeded" }),
  };
}

/**
 * The match conditions of a group: those of its only policy, and those that leave out what no policy sees. The latter
 * let a cluster without any replica start one: nodes report themselves, come and go, and are drained.
 *
 * Kyverno parity: conditions of a policy that is not about nodes stand alone. Pinned by "webhooks: conditions of
 * controllers are about their templates".
 */
function conditionsOf(
  { failurePolicy, members, policyKey }: Group,
  { filters }: WebhookInput,
): readonly JsonObject[] {
  const ofPolicy = policyKey === undefined ? [] : policyConditions(members[0]!.compiled);
  if (failurePolicy === "Ignore") return ofPolicy;
  const isAboutNodes = members.some(({ targets }) =>
    targets.some(({ resource }) => resource.startsWith("*") || resource.split("/")[0] === "nodes")
  );
  if (!isAboutNodes && ofPolicy.length > 0) return ofPolicy;
  return [
    ...notByGroups(filters.excludeGroups),
    ...notByUsers([apiServerUser]),
    ...(isAboutNodes ? notAboutKinds(unseenKinds(filters)) : []),
    ...ofPolicy,
  ];
}

/** The path that the API server calls for a group. The API server accepts only names between slashes (RFC 1123). */
function pathOf({ family, phase, failurePolicy, members, policyKey }: Group): string {
  if (family.word !== "") {
    const keys = members.map(({ compiled }) => compiled.policy.key).join("/");
    return family.phases.length > 1 ? `/${family.word}/${phase}/${keys}` : `/${family.word}/${keys}`;
  }
  const finegrained = policyKey === undefined ? "" : `/finegrained/${policyKey}`;
  return `/${phase}/${failurePolicy.toLowerCase()}${finegrained}`;
}

/** The `clientConfig` through which the API server calls a path of Postern. */
export function clientConfig(installation: Installation, path: string): JsonObject {
  const { namespace, service: name, servicePort: port } = installation;
  const caBundle = installation.caBundle();
  return {
    service: { namespace, name, port, path: `${installation.path}${path}` },
    ...(caBundle !== undefined && { caBundle }),
  };
}

/**
 * The selectors of the policies, joined with those of the settings, which leave out the namespaces that run the
 * cluster.
 */
function selectors(compiled: CompiledPolicy, settings: WebhookSettings): JsonObject {
  const ofPolicy = selectorsOf(compiled);
  return {
    namespaceSelector: joined(settings.namespaceSelector, ofPolicy["namespaceSelector"]),
    objectSelector: joined(settings.objectSelector, ofPolicy["objectSelector"]),
  };
}

function joined(common: JsonObject, added: Json | undefined): JsonObject {
  if (!isObject(added)) return common;
  const expressions = [...asList(common["matchExpressions"]), ...asList(added["matchExpressions"])];
  const labels = { ...asObject(common["matchLabels"]), ...asObject(added["matchLabels"]) };
  return {
    ...(expressions.length > 0 && { matchExpressions: expressions }),
    ...(Object.keys(labels).length > 0 && { matchLabels: labels }),
  };
}
