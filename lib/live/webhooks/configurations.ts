import type { CompiledPolicy, WebhookPhase } from "../../engine/mod.ts";
import {
  asList,
  asObject,
  compareTexts,
  isObject,
  type Json,
  type JsonObject,
  type Stages,
} from "../../json/mod.ts";
import type { ServedResource } from "../../ports.ts";
import type { RequestFilters, WebhookSettings } from "../configuration.ts";
import { configurationLabels, type Installation } from "../installation.ts";
import type { ConditionsOf } from "./cached_conditions.ts";
import type { TargetsOf } from "./cached_targets.ts";
import { configurationKinds, sharedTimeout } from "./configuration_kinds.ts";
import { webhookFamilies } from "./families.ts";
import { areTogetherUsable } from "./match_conditions.ts";
import { targetsTogether } from "./parted_members.ts";
import { notSharedWith } from "./shared_requests.ts";
import { webhookRules } from "./target.ts";
import {
  apiServerUser,
  notAboutKinds,
  notByGroups,
  notByUsers,
  onlyConverted,
  unseenKinds,
} from "./unseen_requests.ts";
import { constraintsOf, type Group, type Grouping, groupsOf, nameOf, pathOf } from "./webhook_group.ts";

/** The policies and settings from which webhook configurations are made. */
export interface WebhookInput {
  readonly policies: readonly CompiledPolicy[];
  readonly served: readonly ServedResource[];
  readonly targetsOf: TargetsOf;
  readonly conditionsOf: ConditionsOf;
  readonly installation: Installation;
  readonly settings: WebhookSettings;
  /** Requests that no policy sees: webhooks that refuse without a replica are not called for them. */
  readonly filters: RequestFilters;
}

/** The names of the two configurations about resources. */
export function resourceConfigurationNames(prefix: string): Readonly<Record<WebhookPhase, string>> {
  return {
    validate: `${prefix}-resource-validating-webhook-cfg`,
    mutate: `${prefix}-resource-mutating-webhook-cfg`,
  };
}

/**
 * The most characters of a configuration. The API server stores at most 1.5 MB, with a list of the fields beside the
 * configuration.
 */
const mostCharacters = 700_000;

/**
 * The ways to group policies, each with fewer webhooks than the one before. Policies of namespaces come last, so that
 * their authors cannot take webhooks from the policies of the cluster.
 */
const groupings: readonly Grouping[] = [
  { sharing: "none", versionsFor: "all", namespaces: "apart" },
  { sharing: "none", versionsFor: "all", namespaces: "together" },
  { sharing: "namespaces", versionsFor: "all", namespaces: "together" },
  { sharing: "namespaces", versionsFor: "policies of the cluster", namespaces: "together" },
  { sharing: "all", versionsFor: "policies of the cluster", namespaces: "together" },
  { sharing: "all", versionsFor: "none", namespaces: "together" },
];

/** A configuration, and the policies of each of its webhooks by the webhook's name. */
export interface ResourceConfiguration {
  readonly object: JsonObject;
  readonly policies: ReadonlyMap<string, readonly CompiledPolicy[]>;
}

/** A webhook with its policies. */
interface PolicyWebhook {
  readonly webhook: Webhook;
  readonly policies: readonly CompiledPolicy[];
}

/**
 * The two configurations for resources. Without policies they have no webhooks. Policies share webhooks when the
 * configuration would be too large otherwise: the API server would refuse it, and no new policy would come into force.
 * Each stage is about a policy or a webhook.
 */
export function* resourceConfigurations(input: WebhookInput): Stages<ResourceConfiguration[]> {
  const made: ResourceConfiguration[] = [];
  for (const phase of ["validate", "mutate"] as const) {
    const found = yield* webhooksOf(input, phase);
    made.push({
      object: configuration(input, phase, found.map(({ webhook }) => webhook)),
      policies: new Map(found.map(({ webhook, policies }) => [webhook.name, policies])),
    });
  }
  return made;
}

/** The webhooks of the first grouping whose configuration is small enough; of the last one in any case. */
function* webhooksOf(input: WebhookInput, phase: WebhookPhase): Stages<readonly PolicyWebhook[]> {
  const others = JSON.stringify(configuration(input, phase, [])).length;
  for (const grouping of groupings) {
    const most = grouping === groupings.at(-1) ? Infinity : mostCharacters - others;
    const found = yield* groupedWebhooks(input, { phase, grouping, most });
    if (found !== undefined) return found;
  }
  return [];
}

/** The webhooks of a grouping; `undefined` as soon as they have more than `most` characters together. */
function* groupedWebhooks(
  input: WebhookInput,
  { phase, grouping, most }: {
    readonly phase: WebhookPhase;
    readonly grouping: Grouping;
    readonly most: number;
  },
): Stages<PolicyWebhook[] | undefined> {
  const made: PolicyWebhook[] = [];
  let characters = 0;
  for (const family of webhookFamilies) {
    if (!family.phases.includes(phase)) continue;
    for (const group of yield* groupsOf(input, { family, phase, ...grouping })) {
      const each = webhook(group, input);
      characters += JSON.stringify(each).length + 1;
      if (characters > most) return undefined;
      made.push({ webhook: each, policies: group.members.map(({ compiled }) => compiled) });
      yield;
    }
  }
  return made;
}

function configuration(input: WebhookInput, phase: WebhookPhase, webhooks: readonly Webhook[]): JsonObject {
  const { installation: { prefix }, settings } = input;
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: configurationKinds[phase],
    metadata: {
      name: resourceConfigurationNames(prefix)[phase],
      labels: { ...settings.labels, ...configurationLabels(prefix) },
      annotations: { "admissions.enforcer/disabled": "true", ...settings.annotations },
    },
    webhooks: webhooks.toSorted((left, right) => compareTexts(left.name, right.name)),
  };
}

type Webhook = JsonObject & { readonly name: string };

function webhook(group: Group, input: WebhookInput): Webhook {
  const { installation, settings } = input;
  const { phase, failurePolicy, members, policyKey } = group;
  const { compiled } = members[0]!;
  const conditions = groupConditions(group, input);
  return {
    name: nameOf(group, installation.prefix),
    clientConfig: clientConfig(installation, pathOf(group)),
    rules: webhookRules(targetsTogether(members)) as unknown as Json,
    failurePolicy,
    matchPolicy: policyKey === undefined
      ? "Equivalent"
      : constraintsOf(compiled)?.matchPolicy ?? "Equivalent",
    sideEffects: "NoneOnDryRun",
    timeoutSeconds: sharedTimeout(members.map((member) => member.compiled)),
    admissionReviewVersions: ["v1"],
    ...selectors(group, settings),
    ...(conditions.length > 0 && { matchConditions: conditions }),
    ...(phase === "mutate" && { reinvocationPolicy: "IfNeeded" }),
  };
}

/**
 * The match conditions of a group: those of the settings, those of its only policy, and those that leave out what no
 * policy sees. The latter let a cluster without any replica start one: nodes report themselves, come and go, and are
 * drained. Those of a policy are left out when the API server would not take all of them together: Postern evaluates
 * them all the same, and the policy would have no webhook.
 *
 * Kyverno parity: conditions of a policy that is not about nodes stand alone. Pinned by "webhooks: conditions of
 * controllers are about their templates".
 */
function groupConditions(group: Group, input: WebhookInput): readonly Json[] {
  const { members, policyKey, isForConverted, besides } = group, { matchConditions } = input.settings;
  const ofPolicy = isForConverted
    ? [onlyConverted]
    : policyKey === undefined
    ? []
    : input.conditionsOf(members[0]!.compiled);
  const shared = notSharedWith(besides, targetsTogether(members));
  const all = [...matchConditions, ...joinedConditions(ofPolicy, group, input), ...shared];
  return areTogetherUsable(all)
    ? all
    : [...matchConditions, ...joinedConditions([], group, input), ...shared];
}

/** The conditions of a policy with those that leave out what no policy sees. */
function joinedConditions(
  ofPolicy: readonly JsonObject[],
  { failurePolicy, members }: Group,
  { filters }: WebhookInput,
): readonly JsonObject[] {
  if (failurePolicy === "Ignore") return ofPolicy;
  const isAboutNodes = members.some(({ targets }) =>
    targets.some(({ resource }) => resource.startsWith("*") || resource.split("/")[0] === "nodes")
  );
  if (!isAboutNodes && ofPolicy.length > 0) return ofPolicy;
  return [
    ...notByGroups(filters),
    ...notByUsers([apiServerUser]),
    ...(isAboutNodes ? notAboutKinds(unseenKinds(filters)) : []),
    ...ofPolicy,
  ];
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
 * cluster. The API server calls the webhook of namespaced policies for their namespaces alone: it refuses requests when
 * it cannot evaluate a condition or no replica answers, and the authors may refuse nothing elsewhere.
 */
function selectors({ members, selectors }: Group, settings: WebhookSettings): JsonObject {
  const ofPolicy = joined(settings.namespaceSelector, selectors.namespaceSelector);
  const requirements = inNamespacesOf(members.map(({ compiled }) => compiled));
  return {
    namespaceSelector: joined(ofPolicy, { matchExpressions: requirements }),
    objectSelector: joined(settings.objectSelector, selectors.objectSelector),
  };
}

/** The most namespaces in a selector. */
const mostNamespaces = 1_000;

/**
 * The requirement that selects the namespaces of policies; none when one of them is about the whole cluster or there
 * are too many.
 */
export function inNamespacesOf(policies: readonly CompiledPolicy[]): JsonObject[] {
  const namespaces = new Set<string>();
  for (const { policy: { namespace } } of policies) {
    if (namespace === undefined || namespaces.size === mostNamespaces) return [];
    namespaces.add(namespace);
  }
  return [{ key: "kubernetes.io/metadata.name", operator: "In", values: [...namespaces].sort() }];
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
