import { celGroup, celKinds, inBothScopes } from "./cel_kinds.ts";

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
  /** Its short name for `kubectl`, with which also the names of webhooks and admission policies begin. */
  readonly shortName: string | undefined;
  readonly namespaced: boolean;
  readonly role: PolicyObjectRole;
}

/** A kind without the fields that follow from the others; the group is kyverno.io when absent. */
type Row = Omit<PolicyObjectKind, "group" | "plural"> & { readonly group?: string };

const rows: readonly Row[] = [
  { kind: "ClusterPolicy", shortName: "cpol", version: "v1", namespaced: false, role: "classic" },
  { kind: "Policy", shortName: "pol", version: "v1", namespaced: true, role: "classic" },
  { kind: "PolicyException", shortName: "polex", version: "v2", namespaced: true, role: "exception" },
  { kind: "CleanupPolicy", shortName: "cleanpol", version: "v2", namespaced: true, role: "cleanup" },
  { kind: "ClusterCleanupPolicy", shortName: "ccleanpol", version: "v2", namespaced: false, role: "cleanup" },
  {
    kind: "GlobalContextEntry",
    shortName: "gctxentry",
    version: "v2beta1",
    namespaced: false,
    role: "global-context",
  },
  ...celKinds.flatMap(celRows),
  {
    group: celGroup,
    kind: "PolicyException",
    shortName: undefined,
    version: "v1",
    namespaced: true,
    role: "cel-exception",
  },
];

/** A kind of policies in CEL and its namespaced twin. */
function celRows({ kind, shortName, role }: (typeof celKinds)[number]): Row[] {
  const { group, kinds: [clusterWide, namespaced] } = inBothScopes(kind);
  // The version in Kyverno's owner references.
  const shared = { group, version: "v1beta1", role };
  return [
    { ...shared, kind: clusterWide, shortName, namespaced: false },
    { ...shared, kind: namespaced, shortName: `n${shortName}`, namespaced: true },
  ];
}

/** Every kind of policy object that Postern watches. */
export const policyObjectKinds: readonly PolicyObjectKind[] = rows.map((row) => ({
  group: "kyverno.io",
  plural: `${row.kind.toLowerCase().replace(/y$/, "ie")}s`,
  ...row,
}));

/** Whether objects of a role answer requests: the others exempt, delete, or hold values. */
export function answersRequests(role: PolicyObjectRole): boolean {
  return role === "classic" || role === "cel";
}
