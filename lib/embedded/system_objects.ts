import type { Json, JsonObject } from "../json/mod.ts";

const READ = ["get", "list", "watch"];
const WRITE = ["create", "delete", "deletecollection", "patch", "update"];
const AGGREGATE = "rbac.authorization.k8s.io/aggregate-to-";

type Rule = { readonly [name: string]: readonly string[] };

function rule(verbs: readonly string[], group: string, resources: string): Rule {
  return { verbs, apiGroups: [group], resources: resources.split(" ") };
}

/** The rules of the ClusterRole `view`. */
const viewRules = [
  rule(
    READ,
    "",
    "bindings configmaps endpoints events limitranges namespaces namespaces/status persistentvolumeclaims " +
      "persistentvolumeclaims/status pods pods/log pods/status replicationcontrollers replicationcontrollers/scale " +
      "replicationcontrollers/status resourcequotas resourcequotas/status serviceaccounts services services/status",
  ),
  rule(READ, "discovery.k8s.io", "endpointslices"),
  rule(
    READ,
    "apps",
    "controllerrevisions daemonsets daemonsets/status deployments deployments/scale deployments/status replicasets " +
      "replicasets/scale replicasets/status statefulsets statefulsets/scale statefulsets/status",
  ),
  rule(READ, "autoscaling", "horizontalpodautoscalers horizontalpodautoscalers/status"),
  rule(READ, "batch", "cronjobs cronjobs/status jobs jobs/status"),
  rule(READ, "policy", "poddisruptionbudgets poddisruptionbudgets/status"),
  rule(READ, "networking.k8s.io", "ingresses ingresses/status networkpolicies"),
  rule(READ, "resource.k8s.io", "resourceclaims resourceclaims/status resourceclaimtemplates"),
];

/** The rules that the ClusterRole `edit` adds to `view`. */
const editRules = [
  rule(READ, "", "pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy"),
  rule(["impersonate"], "", "serviceaccounts"),
  rule(
    WRITE,
    "",
    "configmaps events persistentvolumeclaims pods pods/attach pods/exec pods/portforward pods/proxy " +
      "replicationcontrollers replicationcontrollers/scale secrets serviceaccounts services services/proxy",
  ),
  rule(["create"], "", "pods/eviction serviceaccounts/token"),
  rule(
    WRITE,
    "apps",
    "daemonsets deployments deployments/rollback deployments/scale replicasets replicasets/scale statefulsets " +
      "statefulsets/scale",
  ),
  rule(WRITE, "autoscaling", "horizontalpodautoscalers"),
  rule(WRITE, "batch", "cronjobs jobs"),
  rule(WRITE, "policy", "poddisruptionbudgets"),
  rule(WRITE, "networking.k8s.io", "ingresses networkpolicies"),
  rule([...READ, ...WRITE], "coordination.k8s.io", "leases"),
  rule(WRITE, "resource.k8s.io", "resourceclaims resourceclaimtemplates"),
];

/** The rules that the ClusterRole `admin` adds to `edit`. */
const adminRules = [
  rule(["create"], "authorization.k8s.io", "localsubjectaccessreviews"),
  rule([...READ, ...WRITE], "rbac.authorization.k8s.io", "rolebindings roles"),
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
    labels: into === undefined ? {} : { [`${AGGREGATE}${into}`]: "true" },
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [`${AGGREGATE}${name}`]: "true" } }] },
  });
}

function part(name: string, rules: readonly Rule[]): JsonObject {
  return clusterRole(`system:aggregate-to-${name}`, {
    labels: { [`${AGGREGATE}${name}`]: "true" },
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
