import type { Json, JsonObject } from "../json/mod.ts";

const readVerbs = ["get", "list", "watch"];
const writeVerbs = ["create", "delete", "deletecollection", "patch", "update"];
const aggregateLabel = "rbac.authorization.k8s.io/aggregate-to-";

type Rule = { readonly [name: string]: readonly string[] };

function rule(verbs: readonly string[], group: string, resources: string): Rule {
  return { verbs, apiGroups: [group], resources: resources.split(" ") };
}

/** The rules of the ClusterRole `view`. */
const viewRules = [
  rule(
    readVerbs,
    "",
    "bindings configmaps endpoints events limitranges namespaces namespaces/status persistentvolumeclaims " +
      "persistentvolumeclaims/status pods pods/log pods/status replicationcontrollers replicationcontrollers/scale " +
      "replicationcontrollers/status resourcequotas resourcequotas/status serviceaccounts services services/status",
  ),
  rule(readVerbs, "discovery.k8s.io", "endpointslices"),
  rule(
    readVerbs,
    "apps",
    "controllerrevisions daemonsets daemonsets/status deployments deployments/scale deployments/status replicasets " +
      "replicasets/scale replicasets/status statefulsets statefulsets/scale statefulsets/status",
  ),
  rule(readVerbs, "autoscaling", "horizontalpodautoscalers horizontalpodautoscalers/status"),
  rule(readVerbs, "batch", "cronjobs cronjobs/status jobs jobs/status"),
  rule(readVerbs, "policy", "poddisruptionbudgets poddisruptionbudgets/status"),
  rule(readVerbs, "networking.k8s.io", "ingresses ingresses/status networkpolicies"),
  rule(readVerbs, "resource.k8s.io", "resourceclaims resourceclaims/status resourceclaimtemplates"),
];

/** The rules that the ClusterRole `edit` adds to `view`. */
const editRules = [
  rule(readVerbs, "", "pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy"),
  rule(["impersonate"], "", "serviceaccounts"),
  rule(
    writeVerbs,
    "",
    "configmaps events persistentvolumeclaims pods pods/attach pods/exec pods/portforward pods/proxy " +
      "replicationcontrollers replicationcontrollers/scale secrets serviceaccounts services services/proxy",
  ),
  rule(["create"], "", "pods/eviction serviceaccounts/token"),
  rule(
    writeVerbs,
    "apps",
    "daemonsets deployments deployments/rollback deployments/scale replicasets replicasets/scale statefulsets " +
      "statefulsets/scale",
  ),
  rule(writeVerbs, "autoscaling", "horizontalpodautoscalers"),
  rule(writeVerbs, "batch", "cronjobs jobs"),
  rule(writeVerbs, "policy", "poddisruptionbudgets"),
  rule(writeVerbs, "networking.k8s.io", "ingresses networkpolicies"),
  rule([...readVerbs, ...writeVerbs], "coordination.k8s.io", "leases"),
  rule(writeVerbs, "resource.k8s.io", "resourceclaims resourceclaimtemplates"),
];

/** The rules that the ClusterRole `admin` adds to `edit`. */
const adminRules = [
  rule(["create"], "authorization.k8s.io", "localsubjectaccessreviews"),
  rule([...readVerbs, ...writeVerbs], "rbac.authorization.k8s.io", "rolebindings roles"),
];

function clusterRole(name: string, parts: { [name: string]: Json }): JsonObject {
  const { labels = {}, ...rest } = parts;
  return {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name, labels },
    rules: [],
    ...rest,
  };
}

/** A role with the rules of all roles that have its label, so that others can add to it. */
function aggregated(name: string, into?: string): JsonObject {
  return clusterRole(name, {
    labels: into === undefined ? {} : { [`${aggregateLabel}${into}`]: "true" },
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [`${aggregateLabel}${name}`]: "true" } }] },
  });
}

function part(name: string, rules: readonly Rule[]): JsonObject {
  return clusterRole(`system:aggregate-to-${name}`, {
    labels: { [`${aggregateLabel}${name}`]: "true" },
    rules: rules.map((each) => ({ ...each })),
  });
}

/**
 * The objects of a new cluster that policies read: the namespaces that the API server creates, and the roles
 * `cluster-admin`, `admin`, `edit` and `view` with the binding of the first. Facts of Kubernetes 1.34.
 */
export function systemObjects(): JsonObject[] {
  const namespaces = ["default", "kube-node-lease", "kube-public", "kube-system"];
  const everything: JsonObject[] = [
    { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
    { verbs: ["*"], nonResourceURLs: ["*"] },
  ];
  return [
    ...namespaces.map((name) => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } })),
    clusterRole("cluster-admin", { rules: everything }),
    aggregated("admin"),
    aggregated("edit", "admin"),
    aggregated("view", "edit"),
    part("admin", adminRules),
    part("edit", editRules),
    part("view", viewRules),
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRoleBinding",
      metadata: { name: "cluster-admin" },
      subjects: [{ kind: "Group", apiGroup: "rbac.authorization.k8s.io", name: "system:masters" }],
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
    },
  ];
}
