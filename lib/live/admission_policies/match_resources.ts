import { asObject, Fault, isFault, isObject, type Json, type JsonObject } from "../../json/mod.ts";
import {
  inexpressiblePart,
  matchResources,
  namespaceNames,
  objectNames,
  withRequirements,
} from "../../match/mod.ts";
import { type MatchBlock, type MatchFilter, userCriteria } from "../../policy/mod.ts";
import type { ServedResource } from "../../ports.ts";
import { targetResources } from "../webhooks/served_kinds.ts";

/** The match of a rule, from which MatchResources are made. */
export interface MatchResourcesInput {
  readonly match: MatchBlock;
  readonly exclude: MatchBlock | undefined;
  /** The matches of exceptions, whose objects are excluded. */
  readonly exceptions: readonly MatchBlock[];
  readonly served: readonly ServedResource[];
}

/** The order in which Kyverno writes the operations of a rule that names none. */
const everyOperation = ["CREATE", "UPDATE", "CONNECT", "DELETE"];

/**
 * The MatchResources that select what a rule matches and does not exclude, with the kinds as the cluster serves them; a
 * fault names a part that MatchResources cannot express. Kyverno parity: several filters in `match.all` cannot be
 * expressed. Pinned by tests/live/admission_policies_test.ts.
 */
export function servedMatchResources(
  { match, exclude, exceptions, served }: MatchResourcesInput,
): JsonObject | Fault {
  if (match.form === "all" && match.filters.length > 1) {
    return new Fault("skip generation: multiple filters in match.all");
  }
  for (const filter of match.filters) {
    const problem = filterProblem(filter, "match");
    if (problem !== undefined) return new Fault(problem);
  }
  const selecting = match.filters.filter(({ resources }) =>
    isObject(resources.selector) || isObject(resources.namespaceSelector)
  );
  if (selecting.length > 0 && match.filters.length > 1) {
    return new Fault("skip generation: one of several filters in match.any has a selector");
  }
  const excluded = [...exclude?.filters ?? [], ...exceptions.flatMap(({ filters }) => filters)];
  for (const filter of excluded) {
    const problem = filterProblem(filter, "exclude");
    if (problem !== undefined) return new Fault(problem);
  }
  const rules = resourceRules(match.filters, served);
  if (isFault(rules)) return rules;
  const excludeRules = resourceRules(excluded, served);
  if (isFault(excludeRules)) return excludeRules;
  const namespaces = [...new Set(match.filters.flatMap(({ resources }) => resources.namespaces))];
  const namespaceSelector = withRequirements(
    asObject(match.filters[0]?.resources.namespaceSelector),
    namespaces.length === 0 ? [] : [namespaceNames("In", namespaces)],
  );
  return matchResources({
    resourceRules: rules,
    excludeResourceRules: excludeRules,
    namespaceSelector,
    objectSelector: asObject(match.filters[0]?.resources.selector),
  });
}

function filterProblem(filter: MatchFilter, block: "match" | "exclude"): string | undefined {
  const part = inexpressiblePart(filter, block);
  if (part === undefined) return undefined;
  const isUsers = userCriteria.some((each) => each === part);
  return `skip generation: ${isUsers ? "users and roles" : part} in ${block}`;
}

interface Group {
  readonly group: string;
  readonly version: string;
  readonly operations: readonly string[];
  readonly names: readonly string[];
  readonly resources: Set<string>;
}

/** The resource rules of filters. Resources of one group, version, operations and names share a rule. */
function resourceRules(filters: readonly MatchFilter[], served: readonly ServedResource[]): Json[] | Fault {
  const groups = new Map<string, Group>();
  for (const { resources } of filters) {
    const operations = resources.operations.length > 0 ? resources.operations : everyOperation;
    const names = objectNames(resources);
    // Kyverno parity: a namespace without kinds is excluded as an object of that name. Pinned by "Pods, but not those
    // of a namespace, which is excluded as an object of that name".
    const isNamespaces = resources.kinds.length === 0 && resources.namespaces.length > 0;
    const kinds = isNamespaces ? ["Namespace"] : resources.kinds;
    for (const kind of kinds) {
      // Kyverno parity: a rule about every kind names resources alone, a rule about Pods also their ephemeral
      // containers. Pinned by "every kind, by its resources alone" and "Pods, with the containers that are added to
      // debug one".
      const targets = targetResources(kind, { served, namespaced: false }).filter(({ resource }) =>
        resource !== "pods/ephemeralcontainers" || kind !== "*"
      );
      if (targets.length === 0) return new Fault(`skip generation: the cluster serves no kind ${kind}`);
      for (const { group, version, resource } of targets) {
        const given = isNamespaces ? resources.namespaces : names;
        const key = JSON.stringify([group, version, operations, given]);
        const merged = groups.get(key) ?? { group, version, operations, names: given, resources: new Set() };
        merged.resources.add(resource);
        groups.set(key, merged);
      }
    }
  }
  return [...groups.values()].map(({ group, version, operations, names, resources }) => ({
    apiGroups: [group],
    apiVersions: [version],
    operations: [...operations],
    resources: [...resources].sort(),
    ...(names.length > 0 && { resourceNames: [...names] }),
  }));
}
