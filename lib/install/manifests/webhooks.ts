import { type CompiledPolicy, type CompiledRule, isOfWebhook, type WebhookPhase } from "../../engine/mod.ts";
import { completed, type JsonObject } from "../../json/mod.ts";
import { dnsSubdomainProblems } from "../../kube/mod.ts";
import {
  apiServerUser,
  areTogetherUsable,
  areUsable,
  type ConfigurationKind,
  configurationKinds,
  constraintsOf,
  inNamespacesOf,
  isShadowed,
  joinedCoverage,
  notAboutKinds,
  notByGroups,
  notByUsers,
  onlyConverted,
  type Target,
  unseenKinds,
  versionCoverages,
  webhookRules,
  webhookTimeout,
} from "../../live/mod.ts";
import { appName, certificateSecret, type ManifestOptions, metadata } from "./manifest_options.ts";
import {
  followedTargets,
  type GuessedKind,
  plainVersions,
  type Plurals,
  webhookTargets,
} from "./webhook_targets.ts";

const phases = ["validate", "mutate"] as const;

/** The namespaces without webhook calls: those that run the cluster, and Postern's. The server filters them, too. */
function unseenNamespaces(namespace: string): string[] {
  return [...new Set(["kube-node-lease", "kube-public", "kube-system", namespace])].sort();
}

/** The address of Postern for webhooks, and the authorities to trust. */
export interface WebhookOptions {
  readonly namespace: string;
  /** The name of the Service. */
  readonly service: string;
  /** The prefix of every path; none when absent. */
  readonly secretPath?: string | undefined;
  /** The authorities as base64 of PEM. */
  readonly caBundle: string | undefined;
  /** The plurals that the cluster serves; when absent, they are guessed from the kinds. */
  readonly plurals?: Plurals;
}

/** The webhooks of one configuration. */
export interface ConfiguredWebhooks {
  readonly kind: ConfigurationKind;
  readonly webhooks: readonly JsonObject[];
}

/**
 * The two webhook configurations as they are installed: without webhooks, so that the API server calls nothing before
 * a replica can answer. A replica that is ready writes {@link webhooksOf} into them. Applying them again keeps the
 * webhooks.
 */
export function emptyConfigurations(options: ManifestOptions): JsonObject[] {
  return phases.map((phase) => ({
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: configurationKinds[phase],
    metadata: { ...metadata(appName), ...injection(options) },
  }));
}

/**
 * The webhooks of both configurations: one for every failurePolicy of the phase's policies, and one for each policy
 * with match conditions. They cannot lock the cluster, because they leave out the namespaces that run it and Postern,
 * and namespaced policies alone concern their namespaces alone: the API server refuses requests for which it cannot
 * evaluate a condition.
 */
export function webhooksOf(
  policies: readonly CompiledPolicy[],
  options: WebhookOptions,
  guessed: (kind: GuessedKind) => void = () => {},
): ConfiguredWebhooks[] {
  return phases.map((phase) => ({
    kind: configurationKinds[phase],
    webhooks: groups(policies, phase, options.plurals).map((group) => webhook(group, options, guessed)),
  }));
}

function injection({ certificate, namespace }: ManifestOptions): JsonObject {
  if (certificate.from !== "cert-manager") return {};
  return { annotations: { "cert-manager.io/inject-ca-from": `${namespace}/${certificateSecret}` } };
}

/** The policies of one webhook. */
interface Group {
  readonly phase: WebhookPhase;
  readonly failurePolicy: "Fail" | "Ignore";
  readonly policies: readonly CompiledPolicy[];
  /**
   * Rules whose generated objects are kept in step. Their webhook ignores failures, because a missed change is no
   * reason to deny a request.
   */
  readonly followed: readonly CompiledRule[];
  /**
   * The path of policies with match conditions, and the conditions that the API server evaluates; `undefined` for the
   * webhook of the other policies.
   */
  readonly conditional: { readonly path: PolicyPath; readonly conditions: readonly JsonObject[] } | undefined;
}

/** A policy by its key, or every policy: the API server takes no other paths. */
type PolicyPath = { readonly key: string } | "every policy";

/** The most characters of a policy's key in a webhook's name, which has at most 253 (RFC 1123). */
const longestKeyInName = 180;

/** Whether the API server takes the key of a policy in a path and in a webhook's name. */
function isInPaths({ policy: { key } }: CompiledPolicy): boolean {
  return key.length <= longestKeyInName &&
    key.split("/").every((name) => dnsSubdomainProblems(name).length === 0);
}

function groups(all: readonly CompiledPolicy[], phase: WebhookPhase, plurals: Plurals | undefined): Group[] {
  const policies = all.filter(({ policy, rules }) =>
    policy.admission && rules.some(({ type }) => isOfWebhook(type, phase))
  );
  const followed = phase === "mutate"
    ? []
    : policies.flatMap(({ rules }) => rules).filter((rule) => followedTargets(rule, () => {}).length > 0);
  const found = (["Fail", "Ignore"] as const).flatMap((failurePolicy): Group[] => {
    const group = policies.filter(({ policy }) => policy.failurePolicy === failurePolicy);
    const common = group.filter(({ policy }) => policy.matchConditions.length === 0);
    const conditional = [
      ...group.filter(({ policy }) => policy.matchConditions.length > 0)
        .map((policy) => ({ policy, conditions: usableConditions(policy) })),
      ...shadowed(common, phase, plurals).map((policy) => ({ policy, conditions: [onlyConverted] })),
    ];
    const others = conditional.filter(({ policy }) => !isInPaths(policy)).map(({ policy }) => policy);
    return [
      {
        phase,
        failurePolicy,
        policies: common,
        followed: failurePolicy === "Ignore" ? followed : [],
        conditional: undefined,
      },
      ...conditional.filter(({ policy }) => isInPaths(policy)).map(({ policy, conditions }) => {
        const conditional = { path: { key: policy.policy.key }, conditions };
        return { phase, failurePolicy, policies: [policy], followed: [], conditional };
      }),
      {
        phase,
        failurePolicy,
        policies: others,
        followed: [],
        conditional: { path: "every policy", conditions: [] },
      },
    ];
  });
  return found.filter((group) => group.policies.length + group.followed.length > 0);
}

/** The conditions of a policy, if the API server takes them beside Postern's; Postern evaluates them all the same. */
function usableConditions({ policy: { matchConditions } }: CompiledPolicy): readonly JsonObject[] {
  const added = [...unseenUsers(""), ...notAboutKinds(unseenKinds())];
  return areUsable(matchConditions) && areTogetherUsable([...added, ...matchConditions])
    ? matchConditions
    : [];
}

/**
 * The policies that miss objects in some versions of a resource because another policy of their webhook is about these
 * versions, too, each with the rules for which it does.
 */
function shadowed(
  policies: readonly CompiledPolicy[],
  phase: WebhookPhase,
  plurals: Plurals | undefined,
): CompiledPolicy[] {
  const units = policies.flatMap((policy) =>
    policy.rules.filter(({ type }) => isOfWebhook(type, phase)).map((rule) => {
      const namespaced = policy.policy.namespace !== undefined;
      return {
        policy,
        rule,
        targets: webhookTargets(rule, { namespaced, everyGroup: true, plurals, guessed: () => {} }),
      };
    })
  );
  const coverages = completed(versionCoverages(units.map(({ targets }) => targets), plainVersions));
  const joined = joinedCoverage(coverages);
  const missing = units.filter(({ policy }, index) =>
    constraintsOf(policy)?.matchPolicy !== "Exact" && isShadowed(coverages[index]!, joined)
  );
  return [...Map.groupBy(missing, ({ policy }) => policy)].map(([policy, ofPolicy]) => ({
    ...policy,
    rules: ofPolicy.map(({ rule }) => rule),
  }));
}

function webhook(group: Group, options: WebhookOptions, guessed: (kind: GuessedKind) => void): JsonObject {
  const { phase, failurePolicy, policies, followed, conditional } = group;
  const { name, path } = addressOf(group);
  const targets = targetsOfGroup(group, options.plurals, guessed);
  const { namespace, service, secretPath = "", caBundle } = options;
  return {
    name,
    clientConfig: {
      service: { namespace, name: service, port: 443, path: secretPath + path },
      ...(caBundle !== undefined && { caBundle }),
    },
    rules: webhookRules(targets).map((rule) => ({ ...rule })),
    failurePolicy,
    matchPolicy: "Equivalent",
    sideEffects: "NoneOnDryRun",
    timeoutSeconds: webhookTimeout(policies),
    admissionReviewVersions: ["v1"],
    namespaceSelector: {
      matchExpressions: [{
        key: "kubernetes.io/metadata.name",
        operator: "NotIn",
        values: unseenNamespaces(namespace),
      }, ...(followed.length === 0 ? inNamespacesOf(policies) : [])],
    },
    objectSelector: {},
    matchConditions: [
      ...unseenUsers(namespace),
      ...(targets.some(({ resource }) => resource.startsWith("*")) ? notAboutKinds(unseenKinds()) : []),
      ...conditional?.conditions ?? [],
    ],
    ...(phase === "mutate" && { reinvocationPolicy: "IfNeeded" }),
  };
}

/** The name of a group's webhook, and the path that it calls: `/validate/fail`, `/validate/fail/finegrained/KEY`. */
function addressOf({ phase, failurePolicy, conditional }: Group): { name: string; path: string } {
  const word = failurePolicy.toLowerCase(), name = `${phase}.${appName}.svc-${word}`;
  if (conditional === undefined) return { name, path: `/${phase}/${word}` };
  if (conditional.path === "every policy") return { name: `${name}-conditional`, path: `/${phase}` };
  const finegrained = `/finegrained/${conditional.path.key}`;
  return { name: `${name}${finegrained.replaceAll("/", "-")}`, path: `/${phase}/${word}${finegrained}` };
}

/** The resources of a group's policies, and of the generated objects that its rules follow. */
function targetsOfGroup(
  { phase, policies, followed }: Group,
  plurals: Plurals | undefined,
  guessed: (kind: GuessedKind) => void,
): Target[] {
  const matched = policies.flatMap(({ policy, rules }) => {
    const namespaced = policy.namespace !== undefined;
    return rules.filter(({ type }) => isOfWebhook(type, phase)).flatMap((rule) =>
      webhookTargets(rule, { namespaced, everyGroup: true, plurals, guessed })
    );
  });
  return [...matched, ...followed.flatMap((rule) => followedTargets(rule, guessed))];
}

/** Leaves out kubelets, which the server filters by default too, Postern, and the API server. */
function unseenUsers(namespace: string): JsonObject[] {
  return [
    ...notByGroups({
      excludeGroups: ["system:nodes"],
      excludeUsernames: [],
      excludeRoles: [],
      excludeClusterRoles: [],
    }),
    ...notByUsers([apiServerUser, `system:serviceaccount:${namespace}:${appName}`]),
  ];
}
