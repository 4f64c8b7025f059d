import type { CompiledPolicy } from "../../engine/mod.ts";
import type { WebhookPhase } from "../../engine/mod.ts";

/** A family of policy kinds that share webhooks, with its names and paths. */
export interface WebhookFamily {
  /** The prefix of a webhook's name: `vpol.`; empty for kyverno.io's kinds. */
  readonly word: string;
  readonly kinds: readonly string[];
  readonly phases: readonly WebhookPhase[];
  /** Whether a path names its policies by namespace and name. */
  readonly namespaced: boolean;
}

function celFamily(word: string, kind: string, phases: readonly WebhookPhase[]): WebhookFamily[] {
  return [
    { word, kinds: [kind], phases, namespaced: false },
    { word: `n${word}`, kinds: [`Namespaced${kind}`], phases, namespaced: true },
  ];
}

/** Every family. The first is that of ClusterPolicy and Policy. */
export const webhookFamilies: readonly WebhookFamily[] = [
  { word: "", kinds: ["ClusterPolicy", "Policy"], phases: ["mutate", "validate"], namespaced: false },
  ...celFamily("vpol", "ValidatingPolicy", ["validate"]),
  ...celFamily("mpol", "MutatingPolicy", ["mutate", "validate"]),
  ...celFamily("gpol", "GeneratingPolicy", ["validate"]),
  ...celFamily("ivpol", "ImageValidatingPolicy", ["mutate", "validate"]),
];

/** The family of a policy; `undefined` for policies without webhooks. */
export function familyOf({ policy }: CompiledPolicy): WebhookFamily | undefined {
  return webhookFamilies.find(({ kinds }) => kinds.includes(policy.kind));
}

/**
 * Kyverno parity: a GeneratingPolicy acts after the answer, so no request waits for it or fails with it. Pinned by
 * "webhooks: a GeneratingPolicy gets every operation, without conditions, and fails no request".
 */
export function isGenerating({ policy: { kind } }: CompiledPolicy): boolean {
  return kind === "GeneratingPolicy" || kind === "NamespacedGeneratingPolicy";
}
