import { LoadTracker, untilLoaded } from "../context/mod.ts";
import type { CompiledRule, Snapshot } from "../engine/mod.ts";
import type { Ports } from "../ports.ts";
import { type ClusterObjects, objectsInCluster, type OwnerReference } from "../rules/mod.ts";
import type { DownstreamState } from "./reconcile.ts";

/** Reads objects of the cluster, and waits until they are loaded. */
export function reader(ports: Ports): <T>(read: (objects: ClusterObjects) => T) => Promise<T> {
  return async (read) => {
    const store = new LoadTracker({ ports });
    try {
      return await untilLoaded(store, () => read(objectsInCluster(store)));
    } finally {
      store.end();
    }
  };
}

/** The generate rule of a name, if it is in force. */
export function findRule(
  { policies }: Snapshot,
  { policy, rule }: Pick<OwnerReference, "policy" | "rule">,
): CompiledRule | undefined {
  const found = policies.find((each) =>
    each.policy.name === policy.name && each.policy.namespace === policy.namespace
  );
  return found?.rules.find((each) => each.rule.name === rule && each.type === "generate");
}

/** The settings of a rule that decide about its downstream, for {@link reconcile}. */
export function downstreamOf({ body }: CompiledRule, state: "present" | "deleted"): DownstreamState["rule"] {
  const { synchronize = false, onPolicyDelete = "delete" } = body.downstream ?? {};
  return { state, synchronize, onPolicyDelete };
}
