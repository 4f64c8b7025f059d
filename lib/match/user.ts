import { asString, isObject, type Json, type StepBudget } from "../json/mod.ts";
import { compileWildcards } from "../kube/mod.ts";
import type { MatchFilter } from "../policy/mod.ts";
import type { User } from "./candidate.ts";

/**
 * How subjects, roles and clusterRoles of one filter combine: all that are given must match, or any of them. The
 * older documentation says any in a direct block; Kyverno requires all everywhere.
 */
export type UserCombination = "all" | "any";

/** Whether a user fulfils criteria. Beyond the steps no name of a user or of a group matches a pattern. */
type UserTest = (user: User, steps?: StepBudget) => boolean;

/** Compiles the user criteria of a filter to one test; `undefined` when it has none. */
export function compileUserTest(filter: MatchFilter, combination: UserCombination): UserTest | undefined {
  const tests: UserTest[] = [];
  const { roles, clusterRoles } = filter;
  if (roles.length > 0) tests.push((user) => roles.some((role) => user.roles.includes(role)));
  if (clusterRoles.length > 0) {
    tests.push((user) => clusterRoles.some((role) => user.clusterRoles.includes(role)));
  }
  if (filter.subjects.length > 0) tests.push(compileSubjects(filter.subjects));
  if (tests.length === 0) return undefined;
  return combination === "all"
    ? (user, steps) => tests.every((test) => test(user, steps))
    : (user, steps) => tests.some((test) => test(user, steps));
}

function compileSubjects(subjects: readonly Json[]): UserTest {
  const users: string[] = [], groups: string[] = [];
  for (const subject of subjects.filter(isObject)) {
    const name = asString(subject["name"]) ?? "";
    if (subject["kind"] === "Group") groups.push(name);
    else if (subject["kind"] === "User") users.push(name);
    else if (subject["kind"] === "ServiceAccount") {
      users.push(`system:serviceaccount:${asString(subject["namespace"]) ?? ""}:${name}`);
    }
  }
  const isUser = compileWildcards(users), isGroup = compileWildcards(groups);
  return (user, steps) =>
    users.length > 0 && isUser(user.username, steps) ||
    groups.length > 0 && user.groups.some((group) => isGroup(group, steps));
}
