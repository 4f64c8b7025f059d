import { LoadTracker, untilLoaded } from "../context/mod.ts";
import type { CompiledRule, Snapshot } from "../engine/mod.ts";
import { policyKey } from "../policy/mod.ts";
import type { Ports } from "../ports.ts";
import { type ClusterObjects, type GeneratingRule, objectsInCluster } from "../rules/mod.ts";
import type { DownstreamState } from "./reconcile.ts";

/** Reads objects of the cluster, and waits until they are loaded. */
export function reader(ports: Ports): <T>(read: (objects: ClusterObjects) => T) => Promise<T> {
  return async (read) => {
    const tracker = new LoadTracker({ ports });
    try {
      return await untilLoaded(tracker, () => read(objectsInCluster(tracker)));
    } finally {
      tracker.end();
    }
  };
}

/** The generate rule that labels name, if it is in force. Policies of several kinds may have one name. */
export function findRule(
  { named }: Snapshot,
  { policy, rule, language }: GeneratingRule,
): CompiledRule | undefined {
  return named(policyKey(policy)).filter((each) => each.policy.language === language).flatMap(({ rules }) =>
    rules
  ).find((each) => each.rule.name === rule && each.type === "generate");
}

/** The reference by which labels name a rule. */
export function makerOf(
  { name, namespace, language }: GeneratingRule["policy"] & Pick<GeneratingRule, "language">,
  rule: CompiledRule,
): GeneratingRule {
  return { policy: { name, namespace }, rule: rule.rule.name, language };
}

/** The settings of a generate rule that decide what happens to the objects that it generated. */
export type DownstreamSettings = Pick<DownstreamState["rule"], "synchronize" | "onPolicyDelete">;

/** Reads the settings of a rule. */
export function downstreamSettings({ body }: CompiledRule): DownstreamSettings {
  const { synchronize = false, onPolicyDelete = "delete" } = body.downstream ?? {};
  return { synchronize, onPolicyDelete };
}
