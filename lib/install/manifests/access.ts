import type { JsonObject } from "../../json/mod.ts";
import { type Access, neededRights } from "../../live/mod.ts";
import { appName, certificateSecret, type ManifestOptions, metadata } from "./manifest_options.ts";

const rbac = "rbac.authorization.k8s.io";

/** The rights of the replicas that do not come from policies. */
export interface ReplicaNeeds {
  /** Whether a leader is needed, because policies change other objects or are followed. */
  readonly leader: boolean;
}

/**
 * The labels of roles that grant rights to policies: those of Kyverno's four controllers, so that roles written for
 * Kyverno work here too, and that of the roles to view the cluster.
 */
const policyRoles: readonly { readonly [label: string]: string }[] = [
  ...["admission", "background", "reports", "cleanup"].map((controller) => ({
    [`rbac.kyverno.io/aggregate-to-${controller}-controller`]: "true",
  })),
  { "rbac.authorization.k8s.io/aggregate-to-view": "true" },
];

/**
 * The service account and its rights: to the resources that policies read; to Postern's webhook configurations by
 * name; to the endpoints of its Service, which show when the webhooks may be enabled; and to its Secret, if it makes
 * its certificate. If replicas elect a leader, there is also the Lease, without a holder: applying it again changes
 * nothing.
 */
export function accessObjects(
  options: ManifestOptions,
  access: readonly Access[],
  { leader }: ReplicaNeeds,
): JsonObject[] {
  const { namespace, certificate } = options;
  const issuesCertificate = certificate.from === "postern";
  const live = options.follows ? neededRights({ prefix: appName }) : undefined;
  const inNamespace = [
    ...(issuesCertificate ? [secretRule] : []),
    ...(leader ? [leaseRule, newLeaseRule] : []),
    endpointRule,
    ...(live?.within ?? []).map((rule) => ({ ...rule })),
  ];
  const inCluster = [
    ...accessRules(access),
    ...(live?.everywhere.map((rule) => ({ ...rule })) ?? [webhookRule]),
  ];
  return [
    { apiVersion: "v1", kind: "ServiceAccount", metadata: metadata(appName, namespace) },
    ...granted("ClusterRole", options, inCluster),
    ...(options.follows ? grantedByLabel(options) : []),
    ...granted("Role", options, inNamespace),
    ...(leader ? [lease(namespace)] : []),
  ];
}

/** A role that aggregates roles by label: authors of policies add the rights that their policies need. */
function grantedByLabel({ namespace }: ManifestOptions): JsonObject[] {
  const name = `${appName}-policies`;
  const role = {
    apiVersion: `${rbac}/v1`,
    kind: "ClusterRole",
    metadata: metadata(name),
    aggregationRule: { clusterRoleSelectors: policyRoles.map((matchLabels) => ({ matchLabels })) },
    // The cluster sets the rules: with some here, each apply would take the rights away until it sets them again.
  };
  return [role, binding("ClusterRole", name, { namespace, scope: undefined })];
}

function lease(namespace: string): JsonObject {
  return { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: metadata(appName, namespace) };
}

const leaseRule = {
  apiGroups: ["coordination.k8s.io"],
  resources: ["leases"],
  resourceNames: [appName],
  verbs: ["get", "update"],
};

/**
 * For a Lease that somebody deleted: without it every replica would lead. A right to create cannot be limited to names.
 */
const newLeaseRule = { apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["create"] };

const webhookRule = {
  apiGroups: ["admissionregistration.k8s.io"],
  resources: ["mutatingwebhookconfigurations", "validatingwebhookconfigurations"],
  resourceNames: [appName],
  verbs: ["get", "patch"],
};

/** A right to list cannot be limited to names. */
const endpointRule = { apiGroups: ["discovery.k8s.io"], resources: ["endpointslices"], verbs: ["list"] };

const secretRule = {
  apiGroups: [""],
  resources: ["secrets"],
  resourceNames: [certificateSecret],
  verbs: ["get", "update"],
};

/** A role with its binding to the service account. */
function granted(
  kind: "Role" | "ClusterRole",
  { namespace }: ManifestOptions,
  rules: readonly JsonObject[],
): JsonObject[] {
  const scope = kind === "Role" ? namespace : undefined;
  return [
    { apiVersion: `${rbac}/v1`, kind, metadata: metadata(appName, scope), rules },
    binding(kind, appName, { namespace, scope }),
  ];
}

/** The binding of a role to the service account. */
function binding(
  kind: "Role" | "ClusterRole",
  name: string,
  { namespace, scope }: { readonly namespace: string; readonly scope: string | undefined },
): JsonObject {
  return {
    apiVersion: `${rbac}/v1`,
    kind: `${kind}Binding`,
    metadata: metadata(name, scope),
    roleRef: { apiGroup: rbac, kind, name },
    subjects: [{ kind: "ServiceAccount", name: appName, namespace }],
  };
}

/** Rights as the rules of a role: one for each resource, with its verbs and, if they suffice, its names. */
function accessRules(access: readonly Access[]): JsonObject[] {
  const verbs = new Map<string, Set<string>>();
  const names = new Map<string, Set<string>>();
  const paths = new Map<string, Set<string>>();
  for (const each of access) {
    if ("path" in each) add(paths, each.verb, each.path);
    else if (each.name === undefined) add(verbs, JSON.stringify([each.group, each.resource]), each.verb);
    else add(names, JSON.stringify([each.group, each.resource, each.verb]), each.name);
  }
  const rules: JsonObject[] = [];
  for (const [key, wanted] of sorted(verbs)) {
    const [group, resource] = JSON.parse(key) as string[];
    rules.push({ apiGroups: [group!], resources: [resource!], verbs: [...wanted].sort() });
  }
  for (const [key, wanted] of sorted(names)) {
    const [group, resource, verb] = JSON.parse(key) as string[];
    // The right to read all objects includes the right to read one.
    if (verbs.get(JSON.stringify([group, resource]))?.has(verb!)) continue;
    const resourceNames = [...wanted].sort();
    rules.push({ apiGroups: [group!], resources: [resource!], resourceNames, verbs: [verb!] });
  }
  for (const [verb, wanted] of sorted(paths)) {
    rules.push({ nonResourceURLs: [...wanted].sort(), verbs: [verb] });
  }
  return rules;
}

function add(to: Map<string, Set<string>>, key: string, value: string): void {
  to.set(key, new Set([...to.get(key) ?? [], value]));
}

function sorted(map: ReadonlyMap<string, Set<string>>): [string, Set<string>][] {
  return [...map].sort(([left], [right]) => left < right ? -1 : 1);
}
