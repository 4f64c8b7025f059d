import type { CompiledPolicy } from "../../engine/mod.ts";
import { asList, asObject, dig, field, isObject, type Json, type JsonObject } from "../../json/mod.ts";
import type { ServedResource } from "../../ports.ts";
import type { WebhookSettings } from "../configuration.ts";
import { type Installation, managedBy } from "../installation.ts";
import { familyOf, webhookFamilies, type WebhookFamily } from "./families.ts";
import { policyTargets } from "./policy_targets.ts";
import type { WebhookPhase } from "../../engine/mod.ts";
import { type Target, webhookRules } from "./target.ts";

/** What webhook configurations are made from. */
export interface WebhookInput {
  readonly policies: readonly CompiledPolicy[];
  readonly served: readonly ServedResource[];
  readonly installation: Installation;
  readonly settings: WebhookSettings;
}

const kindOf: Readonly<Record<WebhookPhase, string>> = {
  validate: "ValidatingWebhookConfiguration",
  mutate: "MutatingWebhookConfiguration",
};

const defaultTimeout = 10;
/** The most that the API server allows. */
const longestTimeout = 30;

/** The two configurations that ask about resources. Without policies they stay, without webhooks. */
export function resourceConfigurations(input: WebhookInput): JsonObject[] {
  const { installation: { prefix }, settings } = input;
  return (["validate", "mutate"] as const).map((phase) => ({
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: kindOf[phase],
    metadata: {
      name: `${prefix}-resource-${phase === "validate" ? "validating" : "mutating"}-webhook-cfg`,
      labels: { ...settings.labels, ...managedBy },
      annotations: { "admissions.enforcer/disabled": "true", ...settings.annotations },
    },
    webhooks: webhookFamilies.filter(({ phases }) => phases.includes(phase))
      .flatMap((family) => groupsOf(input, { family, phase }))
      .map((group) => webhook(group, input))
      .sort((left, right) => left.name < right.name ? -1 : left.name > right.name ? 1 : 0),
  }));
}

/** Policies that one webhook asks about. */
interface Group {
  readonly family: WebhookFamily;
  readonly phase: WebhookPhase;
  readonly failurePolicy: "Fail" | "Ignore";
  readonly policies: readonly CompiledPolicy[];
  readonly targets: readonly Target[];
  /** The key of the only policy, when it has a webhook of its own. */
  readonly own: string | undefined;
}

function groupsOf(
  { policies, served, settings }: WebhookInput,
  { family, phase }: Pick<Group, "family" | "phase">,
): Group[] {
  const groups = new Map<string, Group>();
  for (const compiled of policies) {
    if (familyOf(compiled) !== family) continue;
    const targets = policyTargets(compiled, phase, served);
    if (targets.length === 0) continue;
    const { policy } = compiled;
    const failurePolicy = settings.forceIgnore ? "Ignore" : policy.failurePolicy;
    const own = hasOwnWebhook(compiled) ? policy.key : undefined;
    const key = JSON.stringify([failurePolicy, own ?? "", own === undefined ? selectorsOf(compiled) : ""]);
    const known = groups.get(key);
    groups.set(key, {
      family,
      phase,
      failurePolicy,
      policies: [...known?.policies ?? [], compiled],
      targets: [...known?.targets ?? [], ...targets],
      own,
    });
  }
  return [...groups.values()];
}

/** Kyverno parity: conditions, an exact match and an own time want a webhook of their own; pinned by the webhook table. */
function hasOwnWebhook(compiled: CompiledPolicy): boolean {
  const { policy } = compiled;
  if (policy.matchConditions.length > 0) return true;
  if (familyOf(compiled)?.word === "") return false;
  return conditionsOf(compiled).length > 0 ||
    dig(policy.document, "spec", "matchConstraints", "matchPolicy") === "Exact" ||
    policy.timeoutSeconds !== undefined;
}

/** The match conditions that the API server evaluates before it calls. */
function conditionsOf({ policy }: CompiledPolicy): readonly Json[] {
  if (policy.matchConditions.length > 0) return policy.matchConditions;
  return asList(dig(policy.document, "spec", "matchConditions"));
}

function selectorsOf({ policy }: CompiledPolicy): JsonObject {
  const constraints = asObject(dig(policy.document, "spec", "matchConstraints")) ?? {};
  return {
    namespaceSelector: field(constraints, "namespaceSelector") ?? null,
    objectSelector: field(constraints, "objectSelector") ?? null,
  };
}

function webhook(group: Group, { installation, settings }: WebhookInput): JsonObject & { name: string } {
  const { family, phase, failurePolicy, policies, targets, own } = group;
  const word = failurePolicy.toLowerCase();
  const suffix = own === undefined ? "" : `-finegrained-${own.replaceAll("/", "-")}`;
  const timeouts = policies.map(({ policy }) => policy.timeoutSeconds ?? 0);
  const matchPolicy = own === undefined
    ? undefined
    : field(asObject(dig(policies[0]!.policy.document, "spec", "matchConstraints")) ?? {}, "matchPolicy");
  const conditions = [
    ...settings.matchConditions,
    ...(own === undefined ? [] : conditionsOf(policies[0]!)),
  ];
  return {
    name: `${
      family.word === "" ? "" : `${family.word}.`
    }${phase}.${installation.prefix}.svc-${word}${suffix}`,
    clientConfig: clientConfig(installation, pathOf(group)),
    rules: webhookRules(targets) as unknown as Json,
    failurePolicy,
    matchPolicy: matchPolicy === "Exact" ? "Exact" : "Equivalent",
    sideEffects: "NoneOnDryRun",
    timeoutSeconds: Math.min(longestTimeout, Math.max(defaultTimeout, ...timeouts)),
    admissionReviewVersions: ["v1"],
    ...selectors(group, { installation, settings }),
    ...(conditions.length > 0 && { matchConditions: conditions }),
    ...(phase === "mutate" && { reinvocationPolicy: "IfNeeded" }),
  };
}

/** Where the API server calls for a group. */
function pathOf({ family, phase, failurePolicy, policies, own }: Group): string {
  if (family.word !== "") {
    const keys = policies.map(({ policy }) => policy.key).join(",");
    return family.phases.length > 1 ? `/${family.word}/${phase}/${keys}` : `/${family.word}/${keys}`;
  }
  const finegrained = own === undefined ? "" : `/finegrained/${own}`;
  return `/${phase}/${failurePolicy.toLowerCase()}${finegrained}`;
}

/** How the API server reaches a path of Postern. */
export function clientConfig(installation: Installation, path: string): JsonObject {
  const { namespace, service: name, servicePort: port, caBundle } = installation;
  return {
    service: { namespace, name, port, path: `${installation.path}${path}` },
    ...(caBundle !== undefined && { caBundle }),
  };
}

/** The settings' selectors, which keep the namespaces that run the cluster out, with those of the policies. */
function selectors(
  { policies }: Group,
  { settings }: Pick<WebhookInput, "installation" | "settings">,
): JsonObject {
  const own = selectorsOf(policies[0]!);
  return {
    namespaceSelector: joined(settings.namespaceSelector, own["namespaceSelector"]),
    objectSelector: joined(settings.objectSelector, own["objectSelector"]),
  };
}

function joined(common: JsonObject, own: Json | undefined): JsonObject {
  if (!isObject(own)) return common;
  const expressions = [...asList(common["matchExpressions"]), ...asList(own["matchExpressions"])];
  const labels = { ...asObject(common["matchLabels"]), ...asObject(own["matchLabels"]) };
  return {
    ...(expressions.length > 0 && { matchExpressions: expressions }),
    ...(Object.keys(labels).length > 0 && { matchLabels: labels }),
  };
}
