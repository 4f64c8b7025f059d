import { asList, asString, compareBytes, dig, field, type Json } from "../json/mod.ts";
import { namespaceOf } from "./api_answer.ts";
import { isSubject } from "./embedded/rbac.ts";

/** A user, a request's namespace, and the bindings of a cluster. */
export interface UserRolesInput {
  readonly username: string;
  readonly groups: readonly string[];
  /** Of the request; empty for requests outside namespaces. */
  readonly namespace: string;
  /** RoleBindings of all namespaces. */
  readonly roleBindings: readonly Json[];
  readonly clusterRoleBindings: readonly Json[];
}

/** What `request.roles` and `request.clusterRoles` hold: sorted, each once. */
export interface UserRoles {
  /** `namespace:name` */
  readonly roles: readonly string[];
  readonly clusterRoles: readonly string[];
}

/**
 * The roles that bindings give to a user.
 *
 * Kyverno parity: roles of every namespace count, but a RoleBinding to a ClusterRole counts only in the request's
 * namespace; whether the roles exist is not asked.
 *
 * ```ts
 * import { userRoles } from "./user_roles.ts";
 * import assert from "node:assert/strict";
 * const binding = {
 *   metadata: { name: "b", namespace: "team" },
 *   subjects: [{ kind: "ServiceAccount", name: "bot" }],
 *   roleRef: { kind: "Role", name: "deployer" },
 * };
 * const user = { username: "system:serviceaccount:team:bot", groups: [], namespace: "" };
 * assert.deepEqual(userRoles({ ...user, roleBindings: [binding], clusterRoleBindings: [] }), {
 *   roles: ["team:deployer"],
 *   clusterRoles: [],
 * });
 * ```
 */
export function userRoles(input: UserRolesInput): UserRoles {
  const user = { user: input.username, groups: input.groups };
  const roles = new Set<string>(), clusterRoles = new Set<string>();
  for (const binding of input.roleBindings) {
    const home = namespaceOf(binding);
    if (!bindsTo(binding, user, home)) continue;
    const { kind, name } = roleOf(binding);
    if (kind === "Role") roles.add(`${home}:${name}`);
    else if (kind === "ClusterRole" && home === input.namespace) clusterRoles.add(name);
  }
  for (const binding of input.clusterRoleBindings) {
    const { kind, name } = roleOf(binding);
    if (kind === "ClusterRole" && bindsTo(binding, user, "")) clusterRoles.add(name);
  }
  return { roles: [...roles].sort(compareBytes), clusterRoles: [...clusterRoles].sort(compareBytes) };
}

function bindsTo(
  binding: Json,
  user: { readonly user: string; readonly groups: readonly string[] },
  namespace: string,
): boolean {
  return asList(field(binding, "subjects")).some((subject) => isSubject(subject, user, namespace));
}

function roleOf(binding: Json): { readonly kind: string; readonly name: string } {
  const text = (name: string) => asString(dig(binding, "roleRef", name)) ?? "";
  return { kind: text("kind"), name: text("name") };
}
