/** The API in which reports are written. */
export interface ReportKind {
  readonly apiVersion: string;
  readonly namespaced: { readonly kind: string; readonly path: string };
  readonly clusterWide: { readonly kind: string; readonly path: string };
}

/** Reports of the policy working group, which policy-reporter and others read. */
export const policyReports: ReportKind = {
  apiVersion: "wgpolicyk8s.io/v1alpha2",
  namespaced: { kind: "PolicyReport", path: "policyreports" },
  clusterWide: { kind: "ClusterPolicyReport", path: "clusterpolicyreports" },
};

/** Reports of openreports.io, with the same contents. */
export const openReports: ReportKind = {
  apiVersion: "openreports.io/v1alpha1",
  namespaced: { kind: "Report", path: "reports" },
  clusterWide: { kind: "ClusterReport", path: "clusterreports" },
};

/** The path of the reports in a namespace; of cluster-wide objects when the namespace is empty. */
export function reportsPath({ apiVersion, namespaced, clusterWide }: ReportKind, namespace: string): string {
  return namespace === ""
    ? `/apis/${apiVersion}/${clusterWide.path}`
    : `/apis/${apiVersion}/namespaces/${namespace}/${namespaced.path}`;
}
