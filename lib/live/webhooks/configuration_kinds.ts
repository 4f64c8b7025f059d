import type { CompiledPolicy, WebhookPhase } from "../../engine/mod.ts";

/** The two kinds of webhook configurations (Kubernetes API: `admissionregistration.k8s.io/v1`). */
export type ConfigurationKind = "ValidatingWebhookConfiguration" | "MutatingWebhookConfiguration";

/** The kind of the webhook configurations of each phase. */
export const configurationKinds: Readonly<Record<WebhookPhase, ConfigurationKind>> = {
  validate: "ValidatingWebhookConfiguration",
  mutate: "MutatingWebhookConfiguration",
};

/** The API path of the webhook configurations of each kind. */
export const configurationPaths: Readonly<Record<ConfigurationKind, string>> = {
  ValidatingWebhookConfiguration: "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
  MutatingWebhookConfiguration: "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations",
};

/** The seconds after which the API server gives up a call of a webhook whose policies say nothing about it. */
const defaultTimeout = 10;

/** The most seconds that the API server allows for a webhook. */
const longestTimeout = 30;

/** The `timeoutSeconds` of the webhook of some policies: the longest that one of them has. */
export function webhookTimeout(policies: readonly CompiledPolicy[]): number {
  const timeouts = policies.map(({ policy }) => policy.timeoutSeconds ?? 0);
  return Math.min(longestTimeout, Math.max(defaultTimeout, ...timeouts));
}

/**
 * The `timeoutSeconds` of a webhook that policies of the cluster and of namespaces share: the longest of those of the
 * cluster, without them the longest that each namespace has. The author of a `Policy` must not let requests of other
 * namespaces wait longer while no replica answers.
 */
export function sharedTimeout(policies: readonly CompiledPolicy[]): number {
  const byNamespace = Map.groupBy(policies, ({ policy }) => policy.namespace);
  const ofCluster = byNamespace.get(undefined);
  return ofCluster === undefined
    ? Math.min(...[...byNamespace.values()].map(webhookTimeout))
    : webhookTimeout(ofCluster);
}
