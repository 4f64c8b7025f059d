/** The API group of policies in CEL and of the exceptions from them. */
export const celGroup = "policies.kyverno.io";

/**
 * The kinds of policies of {@link celGroup} that hold in the whole cluster. Each has a twin for the policies of one
 * namespace, with `Namespaced` before its name.
 */
export const celKinds = [
  { kind: "ValidatingPolicy", shortName: "vpol", role: "cel" },
  { kind: "MutatingPolicy", shortName: "mpol", role: "cel" },
  { kind: "GeneratingPolicy", shortName: "gpol", role: "cel" },
  { kind: "ImageValidatingPolicy", shortName: "ivpol", role: "cel" },
  { kind: "DeletingPolicy", shortName: "dpol", role: "deleting" },
] as const;

/** The name of a cluster-wide kind of policies in CEL. */
export type CelKind = (typeof celKinds)[number]["kind"];

/** The group and the kinds in the documents of a kind's policies: the cluster-wide kind, then its twin. */
export function inBothScopes(
  kind: CelKind,
): { readonly group: string; readonly kinds: readonly [string, string] } {
  return { group: celGroup, kinds: [kind, `Namespaced${kind}`] };
}

/**
 * The cluster-wide twin of a kind: `ValidatingPolicy` for `NamespacedValidatingPolicy`. Every other kind is returned.
 */
export function clusterWideKind(kind: string): string {
  return kind.replace(/^Namespaced/, "");
}
