import type { JsonObject } from "../../json/mod.ts";
import {
  type BuiltinKind,
  builtinKinds,
  compileResourceFilters,
  defaultResourceFilters,
  hasWildcard,
} from "../../kube/mod.ts";
import type { RequestFilters } from "../configuration.ts";

/**
 * Match conditions that leave out the requests of groups; none when the API server cannot compare their names alone, or
 * when an entry `!x` of any list may include some of their users. The server evaluates no policy for these
 * requests, and without a replica they must not be refused: a node that cannot report itself runs no new replica.
 */
export function notByGroups(filters: Omit<RequestFilters, "resourceFilters">): JsonObject[] {
  const { excludeGroups: groups, excludeUsernames, excludeRoles, excludeClusterRoles } = filters;
  if (groups.length === 0 || groups.some(hasWildcard)) return [];
  if (
    [groups, excludeUsernames, excludeRoles, excludeClusterRoles].flat().some((entry) =>
      entry.startsWith("!")
    )
  ) return [];
  const isIn = groups.map((group) => `${JSON.stringify(group)} in request.userInfo.groups`).join(" || ");
  return [{ name: "postern-not-by-nodes", expression: `!has(request.userInfo.groups) || !(${isIn})` }];
}

/** Match conditions that leave out the requests of users. */
export function notByUsers(users: readonly string[]): JsonObject[] {
  return [{
    name: "postern-not-by-itself",
    expression: `!(request.userInfo.username in ${JSON.stringify(users)})`,
  }];
}

/**
 * The user of the API server: it writes its roles and addresses when it starts, and must do so without a replica, which
 * needs them to start.
 */
export const apiServerUser = "system:apiserver";

/** Match conditions that leave out the requests about kinds, and about their subresources. */
export function notAboutKinds(kinds: readonly BuiltinKind[]): JsonObject[] {
  if (kinds.length === 0) return [];
  const resources = [...new Set(kinds.map(resourceOf))].sort();
  return [{
    name: "postern-not-about-events-and-nodes",
    expression: `!(request.resource.group + "/" + request.resource.resource in ${JSON.stringify(resources)})`,
  }];
}

/**
 * The match condition for objects that the API server converts for the webhook. In a condition `request.resource` is
 * never the converted one; the object of a subresource (`Scale`) has the same kind in all versions of its resource, so
 * that all of them are let through.
 */
export const onlyConverted: JsonObject = {
  name: "postern-only-converted",
  expression: "request.kind.group != request.requestKind.group || " +
    "request.kind.version != request.requestKind.version || " +
    "has(request.subResource) && request.subResource != ''",
};

function resourceOf({ group, plural }: Pick<BuiltinKind, "group" | "plural">): string {
  return `${group}/${plural}`;
}

/** Two names without common parts: a filter that matches both matches every namespace and name. */
const samples = ["any", "0-9"];

/**
 * The built-in kinds that the server's resource filters hide from policies wholly, with their subresources, such as
 * Events and Nodes.
 */
export function unseenKinds(
  { resourceFilters }: Pick<RequestFilters, "resourceFilters"> = {},
): BuiltinKind[] {
  const isFiltered = compileResourceFilters(resourceFilters ?? defaultResourceFilters);
  return builtinKinds.filter(({ namespaced, subresources, ...type }) =>
    samples.every((name) => {
      const resource = { ...type, namespace: namespaced ? name : "", name };
      return ["", ...subresources].every((subresource) => isFiltered({ ...resource, subresource }));
    })
  );
}
