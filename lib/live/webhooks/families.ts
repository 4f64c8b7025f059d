import { type CompiledPolicy, isOfWebhook, type WebhookPhase } from "../../engine/mod.ts";
import { clusterWideKind, type PolicyObjectKind, policyObjectKinds } from "../../policy/mod.ts";
import { ruleTypesOf } from "../../rules/mod.ts";

/** A family of policy kinds that share webhooks, with its names and paths. */
export interface WebhookFamily {
  /** The prefix of a webhook's name: `vpol.`; empty for kyverno.io's kinds. */
  readonly word: string;
  readonly kinds: readonly string[];
  readonly phases: readonly WebhookPhase[];
  /** Whether a path names its policies by namespace and name. */
  readonly namespaced: boolean;
}

const phases: readonly WebhookPhase[] = ["mutate", "validate"];

/** Every family. The first is that of ClusterPolicy and Policy. */
export const webhookFamilies: readonly WebhookFamily[] = [
  { word: "", kinds: ["ClusterPolicy", "Policy"], phases, namespaced: false },
  ...policyObjectKinds.filter(({ role }) => role === "cel").map(celFamily),
];

function celFamily({ group, kind, shortName = "", namespaced }: PolicyObjectKind): WebhookFamily {
  const types = ruleTypesOf({ group, kind });
  return {
    word: shortName,
    kinds: [kind],
    phases: phases.filter((phase) => types.some((type) => isOfWebhook(type, phase))),
    namespaced,
  };
}

/** The family of a policy; `undefined` for policies without webhooks. */
export function familyOf({ policy }: CompiledPolicy): WebhookFamily | undefined {
  return webhookFamilies.find(({ kinds }) => kinds.includes(policy.kind));
}

/**
 * Kyverno parity: a GeneratingPolicy acts after the answer, so no request waits for it or fails with it. Pinned by
 * "webhooks: a GeneratingPolicy gets every operation, without conditions, and fails no request".
 */
export function isGenerating({ policy: { kind } }: CompiledPolicy): boolean {
  return clusterWideKind(kind) === "GeneratingPolicy";
}
