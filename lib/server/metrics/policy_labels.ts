import type { PolicyIdentity } from "../../engine/mod.ts";
import { hasRules } from "../../policy/mod.ts";
import type { PolicyFamily } from "./metric_table.ts";
import { noNamespace } from "./series_room.ts";

/** The labels of a policy in metrics. Kyverno parity: their names and order. Pinned by tests/server/metrics_test.ts. */
export interface PolicyLabels {
  readonly background: "true" | "false";
  /** `-` for a policy without a namespace. */
  readonly namespace: string;
  readonly name: string;
  readonly type: "cluster" | "namespaced";
}

/** The labels of a policy. */
export function labelsOfPolicy(
  { background, namespace, name }: Pick<PolicyIdentity, "background" | "namespace" | "name">,
): PolicyLabels {
  return {
    background: background ? "true" : "false",
    namespace: namespace ?? noNamespace,
    name,
    type: namespace === undefined ? "cluster" : "namespaced",
  };
}

/** The family of metrics for a kind of policies. */
export function familyOf(kind: string): PolicyFamily {
  if (hasRules(kind)) return "classic";
  if (kind.includes("ImageValidating")) return "image_validating";
  if (kind.includes("Mutating")) return "mutating";
  return kind.includes("Generating") ? "generating" : "validating";
}
