import { asList, asObject, dig, Fault, isFault, type Json, type JsonObject } from "../json/mod.ts";
import { loadNamespace, type LoadTracker, readPath } from "../context/mod.ts";
import { rolesOf } from "./roles.ts";
import type { PolicyRequest } from "./request.ts";

/** The cluster's facts about a request that matching reads. */
export interface Facts {
  readonly namespaceLabels: JsonObject;
  readonly roles: readonly string[];
  readonly clusterRoles: readonly string[];
}

/** The facts that some policies need. */
export interface NeededFacts {
  readonly needsNamespaceLabels: boolean;
  readonly needsRoles: boolean;
}

/**
 * Loads the facts that a selection of policies needs: the labels of the request's namespace, and the requester's
 * roles. Policies that read neither cost nothing. A fault names the load that failed.
 */
export function gatherFacts(
  request: PolicyRequest,
  { needsNamespaceLabels, needsRoles }: NeededFacts,
  tracker: LoadTracker,
): Facts | Fault {
  if (!needsNamespaceLabels && !needsRoles) return noFacts;
  const labels = needsNamespaceLabels ? namespaceLabels(request, tracker) : {};
  const roles = needsRoles ? requesterRoles(request, tracker) : noRoles;
  if (isFault(labels)) return labels;
  if (isFault(roles)) return roles;
  return { namespaceLabels: labels, ...roles };
}

const noRoles = { roles: [], clusterRoles: [] };
const noFacts: Facts = { namespaceLabels: {}, ...noRoles };

function namespaceLabels(request: PolicyRequest, tracker: LoadTracker): JsonObject | Fault {
  if (request.namespaceLabels !== undefined) return request.namespaceLabels;
  if (request.namespace === "" || request.kind === "Namespace") return {};
  const object = loadNamespace(request.namespace, tracker);
  return isFault(object) ? object : asObject(dig(object, "metadata", "labels")) ?? {};
}

function requesterRoles(
  request: PolicyRequest,
  tracker: LoadTracker,
): Pick<Facts, "roles" | "clusterRoles"> | Fault {
  const { requester } = request;
  if (requester === undefined) return noRoles;
  if (requester.roles !== undefined || requester.clusterRoles !== undefined) {
    return { roles: requester.roles ?? [], clusterRoles: requester.clusterRoles ?? [] };
  }
  const roleBindings = list("rolebindings", tracker);
  const clusterRoleBindings = list("clusterrolebindings", tracker);
  if (isFault(roleBindings)) return roleBindings;
  if (isFault(clusterRoleBindings)) return clusterRoleBindings;
  return rolesOf({
    username: requester.username,
    groups: requester.groups,
    namespace: request.namespace,
    roleBindings: asList(dig(roleBindings, "items")),
    clusterRoleBindings: asList(dig(clusterRoleBindings, "items")),
  });
}

function list(plural: string, tracker: LoadTracker): Json | Fault {
  const path = `/apis/rbac.authorization.k8s.io/v1/${plural}`;
  return readPath(
    tracker,
    { name: plural, path },
    (answer) => answer.ok ? answer.body : new Fault(`failed to list ${plural}: ${answer.message}`),
  );
}
