import { asString, isObject, type Json } from "../json/mod.ts";
import { compileWildcard } from "../kube/mod.ts";
import type { MatchFilter } from "../policy/mod.ts";
import type { User } from "./candidate.ts";

/**
 * How subjects, roles and clusterRoles of one filter combine: all that are given must match, or any of them. The
 * older documentation says any in a direct block; Kyverno requires all everywhere.
 */
export type UserCombination = "all" | "any";

/** Compiles the user criteria of a filter to one test; `undefined` when it has none. */
export function compileUserTest(
  filter: MatchFilter,
  combination: UserCombination,
): ((user: User) => boolean) | undefined {
  const tests: ((user: User) => boolean)[] = [];
  const { roles, clusterRoles } = filter;
  if (roles.length > 0) tests.push((user) => roles.some((role) => user.roles.includes(role)));
  if (clusterRoles.length > 0) {
    tests.push((user) => clusterRoles.some((role) => user.clusterRoles.includes(role)));
  }
  const subjects = filter.subjects.map(compileSubject);
  if (subjects.length > 0) tests.push((user) => subjects.some((matches) => matches(user)));
  if (tests.length === 0) return undefined;
  return combination === "all"
    ? (user) => tests.every((test) => test(user))
    : (user) => tests.some((test) => test(user));
}

function compileSubject(subject: Json): (user: User) => boolean {
  if (!isObject(subject)) return () => false;
  const name = asString(subject["name"]) ?? "";
  switch (subject["kind"]) {
    case "ServiceAccount": {
      const account = compileWildcard(
        `system:serviceaccount:${asString(subject["namespace"]) ?? ""}:${name}`,
      );
      return (user) => account(user.username);
    }
    case "User": {
      const matches = compileWildcard(name);
      return (user) => matches(user.username);
    }
    case "Group": {
      const matches = compileWildcard(name);
      return (user) => user.groups.some(matches);
    }
    default:
      return () => false;
  }
}
