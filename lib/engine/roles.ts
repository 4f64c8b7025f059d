import { asList, asString, dig, field, type Json, textField } from "../json/mod.ts";
import { namespaceOf } from "../kube/mod.ts";

/** A user, and the bindings of the cluster. */
export interface RoleQuery {
  readonly username: string;
  readonly groups: readonly string[];
  /** The namespace of the request: RoleBindings to ClusterRoles count only there. */
  readonly namespace: string;
  readonly roleBindings: readonly Json[];
  readonly clusterRoleBindings: readonly Json[];
}

/**
 * The roles (`namespace:name`) and cluster roles that bindings give to a user, sorted and without repetition.
 * Kyverno parity: Roles of all namespaces count, ClusterRoles bound in a namespace only in that namespace.
 * Pinned by "a user has the Roles of all namespaces, but ClusterRoles bound in the request's namespace
 * alone".
 */
export function rolesOf(
  query: RoleQuery,
): { roles: readonly string[]; clusterRoles: readonly string[] } {
  const roles = new Set<string>();
  const clusterRoles = new Set<string>();
  for (const binding of query.roleBindings) {
    const namespace = namespaceOf(binding);
    if (!binds(binding, query, namespace)) continue;
    const name = asString(dig(binding, "roleRef", "name")) ?? "";
    const kind = dig(binding, "roleRef", "kind");
    if (kind === "Role") roles.add(`${namespace}:${name}`);
    else if (kind === "ClusterRole" && namespace === query.namespace) clusterRoles.add(name);
  }
  for (const binding of query.clusterRoleBindings) {
    if (dig(binding, "roleRef", "kind") !== "ClusterRole" || !binds(binding, query, "")) continue;
    clusterRoles.add(asString(dig(binding, "roleRef", "name")) ?? "");
  }
  return { roles: [...roles].sort(), clusterRoles: [...clusterRoles].sort() };
}

function binds(binding: Json, { username, groups }: RoleQuery, namespace: string): boolean {
  return asList(field(binding, "subjects")).some((subject) => {
    const name = textField(subject, "name");
    switch (field(subject, "kind")) {
      case "User":
        return name === username;
      case "Group":
        return groups.includes(name);
      case "ServiceAccount":
        return username ===
          `system:serviceaccount:${asString(field(subject, "namespace")) || namespace}:${name}`;
      default:
        return false;
    }
  });
}
