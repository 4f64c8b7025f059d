import { objectConfigurationNames } from "./admission/configurations.ts";
import { admissionPolicyKinds } from "./admission_policies/admission_policy_kind.ts";
import { builtinKind } from "../kube/mod.ts";
import { policyObjectKinds } from "../policy/mod.ts";
import { openReports, policyReports } from "./reports/report_kind.ts";
import { resourceConfigurationNames } from "./webhooks/configurations.ts";

/** A rule of a role (`rbac.authorization.k8s.io/v1`). */
export interface RoleRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  /** Absent for objects of any name. */
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

const reads = ["get", "list", "watch"];
const keeps = [...reads, "create", "update", "delete"];

/**
 * The rights that an installation needs to follow the policies of a cluster. The rights that the policies themselves
 * need are not included: their authors grant those.
 */
export interface NeededRights {
  readonly everywhere: readonly RoleRule[];
  /** In the namespace of the installation. */
  readonly within: readonly RoleRule[];
}

/** The rights of an installation that follows policies; `prefix` begins the names of its webhook configurations. */
export function neededRights({ prefix }: { readonly prefix: string }): NeededRights {
  return {
    everywhere: [
      ...policyRights(),
      ...webhookRights(prefix),
      {
        apiGroups: ["admissionregistration.k8s.io"],
        resources: admissionPolicyKinds.flatMap((kind) => [pluralOf(kind), pluralOf(`${kind}Binding`)]),
        verbs: keeps,
      },
      ...[policyReports, openReports].map(({ apiVersion, namespaced, clusterWide }) => ({
        apiGroups: [apiVersion.split("/")[0]!],
        resources: [namespaced.path, clusterWide.path],
        verbs: keeps,
      })),
      {
        apiGroups: ["apiextensions.k8s.io"],
        resources: ["customresourcedefinitions"],
        verbs: ["list", "watch"],
      },
      { apiGroups: [""], resources: ["namespaces"], verbs: reads },
      {
        apiGroups: ["rbac.authorization.k8s.io"],
        resources: ["rolebindings", "clusterrolebindings"],
        verbs: reads,
      },
      { apiGroups: ["events.k8s.io"], resources: ["events"], verbs: ["create"] },
      { apiGroups: ["authorization.k8s.io"], resources: ["subjectaccessreviews"], verbs: ["create"] },
    ],
    within: [
      { apiGroups: [""], resources: ["configmaps"], verbs: reads },
      { apiGroups: [""], resources: ["services"], verbs: ["get"] },
      { apiGroups: ["apps"], resources: ["deployments"], verbs: ["get"] },
      {
        apiGroups: ["kyverno.io"],
        resources: ["updaterequests"],
        verbs: [...reads, "create", "patch", "delete"],
      },
      { apiGroups: ["kyverno.io"], resources: ["updaterequests/status"], verbs: ["patch"] },
    ],
  };
}

/** The rights to read policies and to write their statuses. */
function policyRights(): RoleRule[] {
  const groups = [...new Set(policyObjectKinds.map(({ group }) => group))];
  return groups.flatMap((group) => {
    const kinds = policyObjectKinds.filter((kind) => kind.group === group);
    const withStatus = kinds.filter(({ role }) => role !== "exception" && role !== "cel-exception");
    return [
      { apiGroups: [group], resources: kinds.map(({ plural }) => plural), verbs: reads },
      {
        apiGroups: [group],
        resources: withStatus.map(({ plural }) => `${plural}/status`),
        verbs: ["patch"],
      },
    ];
  });
}

/** The rights to webhook configurations. A right to list or create cannot be limited to names (Kubernetes, RBAC). */
function webhookRights(prefix: string): RoleRule[] {
  const shared = {
    apiGroups: ["admissionregistration.k8s.io"],
    resources: ["validatingwebhookconfigurations", "mutatingwebhookconfigurations"],
  };
  return [
    { ...shared, verbs: ["list", "watch", "create"] },
    {
      ...shared,
      resourceNames: [
        ...objectConfigurationNames(prefix),
        ...Object.values(resourceConfigurationNames(prefix)),
      ],
      verbs: ["get", "update", "delete"],
    },
  ];
}

function pluralOf(kind: string): string {
  return builtinKind(kind)!.plural;
}
