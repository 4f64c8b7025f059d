/** The purpose of a policy kind's objects. */
export type PolicyObjectRole =
  | "classic"
  | "cel"
  | "exception"
  | "cel-exception"
  | "global-context"
  | "cleanup"
  | "deleting";

/** A kind of policy whose objects are in the cluster. */
export interface PolicyObjectKind {
  readonly group: string;
  /** The version in which it is read: the newest of Kyverno's definitions. */
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  readonly role: PolicyObjectRole;
}

function kyverno(
  kind: string,
  plural: string,
  rest: Pick<PolicyObjectKind, "version" | "namespaced" | "role">,
) {
  return { group: "kyverno.io", kind, plural, ...rest };
}

/** A kind of policies.kyverno.io: cluster-wide, and namespaced with `Namespaced` before its name. */
function cel(kind: string, plural: string, role: PolicyObjectRole = "cel"): PolicyObjectKind[] {
  // The version in Kyverno's owner references.
  const shared = { group: "policies.kyverno.io", version: "v1beta1", role };
  return [
    { ...shared, kind, plural, namespaced: false },
    { ...shared, kind: `Namespaced${kind}`, plural: `namespaced${plural}`, namespaced: true },
  ];
}

/** Every kind of policy object that Postern watches. */
export const policyObjectKinds: readonly PolicyObjectKind[] = [
  kyverno("ClusterPolicy", "clusterpolicies", { version: "v1", namespaced: false, role: "classic" }),
  kyverno("Policy", "policies", { version: "v1", namespaced: true, role: "classic" }),
  kyverno("PolicyException", "policyexceptions", { version: "v2", namespaced: true, role: "exception" }),
  kyverno("CleanupPolicy", "cleanuppolicies", { version: "v2", namespaced: true, role: "cleanup" }),
  kyverno("ClusterCleanupPolicy", "clustercleanuppolicies", {
    version: "v2",
    namespaced: false,
    role: "cleanup",
  }),
  kyverno("GlobalContextEntry", "globalcontextentries", {
    version: "v2beta1",
    namespaced: false,
    role: "global-context",
  }),
  ...cel("ValidatingPolicy", "validatingpolicies"),
  ...cel("MutatingPolicy", "mutatingpolicies"),
  ...cel("GeneratingPolicy", "generatingpolicies"),
  ...cel("ImageValidatingPolicy", "imagevalidatingpolicies"),
  ...cel("DeletingPolicy", "deletingpolicies", "deleting"),
  {
    group: "policies.kyverno.io",
    version: "v1",
    kind: "PolicyException",
    plural: "policyexceptions",
    namespaced: true,
    role: "cel-exception",
  },
];
