import { asObject, Fault, isFault, isObject, type Json, type JsonObject } from "../../json/mod.ts";
import { builtinKind, hasWildcard, parseKindSelectors, pluralOf } from "../../kube/mod.ts";
import {
  type InexpressiblePart,
  inexpressiblePart,
  matchResources,
  namespaceNames,
  objectNames,
  withRequirements,
} from "../../match/mod.ts";
import type { MatchBlock, MatchFilter, ResourceCriteria, Rule } from "../../policy/mod.ts";

/**
 * The MatchResources that select the objects of a rule; a fault names a part that MatchResources cannot express. It
 * reads no cluster, so kinds are built-in ones, or named with their API group. The rule of a Policy is restricted to
 * its namespace.
 */
export function matchResourcesOf(rule: Rule, namespace: string | undefined): JsonObject | Fault {
  const match = filtersOf(rule.match, "match");
  if (isFault(match)) return match;
  const exclude = rule.exclude === undefined ? [] : filtersOf(rule.exclude, "exclude");
  if (isFault(exclude)) return exclude;
  const selectors = match.filter((filter) => restricts(filter));
  if (match.length === 0) return new Fault("match selects nothing");
  if (match.length > 1 && selectors.length > 0) {
    return new Fault("one of several match filters is about namespaces or labels");
  }
  const resourceRules = collect(match.map((filter) => resourceRule(filter)));
  if (isFault(resourceRules)) return resourceRules;
  const excluded = collect(exclude.filter(hasKinds).map((filter) => resourceRule(filter)));
  if (isFault(excluded)) return excluded;
  const expressions = [
    ...(namespace === undefined ? [] : [namespaceNames("In", [namespace])]),
    ...selectors.flatMap((filter) => namespacesOf(filter, "In")),
    ...exclude.filter((filter) => !hasKinds(filter)).flatMap((filter) => namespacesOf(filter, "NotIn")),
  ];
  const namespaceSelector = withRequirements(asObject(selectors[0]?.namespaceSelector), expressions);
  return matchResources({
    resourceRules,
    excludeResourceRules: excluded,
    namespaceSelector,
    objectSelector: asObject(selectors[0]?.selector),
  });
}

/** The criteria of every filter; a fault when MatchResources cannot express one. */
function filtersOf(block: MatchBlock, name: "match" | "exclude"): readonly ResourceCriteria[] | Fault {
  const { form, filters, written } = block;
  if (form === "all" && filters.length > 1) return new Fault(`${name}.all has several filters`);
  const used = form === "direct" && Object.keys(written).length === 0 ? [] : filters;
  for (const filter of used) {
    const problem = filterProblem(filter, name);
    if (problem !== undefined) return new Fault(`${name} ${problem}`);
  }
  return used.map(({ resources }) => resources);
}

/** The effect of a part that cannot be expressed on its filter. */
const problems: Readonly<Record<InexpressiblePart, string>> = {
  subjects: "is about subjects",
  roles: "is about roles",
  clusterRoles: "is about clusterRoles",
  annotations: "is about annotations",
  "wildcards in names": "has wildcards in names",
  "wildcards in selectors": "has wildcards in selectors",
  "an object selector": "is about labels",
  "a namespace selector": "is about labels",
  "kinds in a namespace": "is about kinds in a namespace",
};

function filterProblem(filter: MatchFilter, name: "match" | "exclude"): string | undefined {
  const part = inexpressiblePart(filter, name);
  if (part !== undefined) return problems[part];
  const { resources } = filter, { namespaces, operations } = resources;
  if (hasKinds(resources)) return undefined;
  if (name === "match") return "names no kinds";
  const isNamespaces = namespaces.length > 0 && objectNames(resources).length === 0 &&
    operations.length === 0;
  return isNamespaces ? undefined : "is neither about kinds nor about namespaces";
}

function hasKinds({ kinds }: ResourceCriteria): boolean {
  return kinds.length > 0;
}

function restricts({ selector, namespaceSelector, namespaces }: ResourceCriteria): boolean {
  return isObject(selector) || isObject(namespaceSelector) || namespaces.length > 0;
}

function namespacesOf({ namespaces }: ResourceCriteria, operator: "In" | "NotIn"): JsonObject[] {
  return namespaces.length === 0 ? [] : [namespaceNames(operator, namespaces)];
}

/** The kinds and operations of a filter. Kinds of one group and version share a rule. */
function resourceRule(resources: ResourceCriteria): JsonObject | Fault {
  const groups = new Set<string>(), versions = new Set<string>(), names = new Set<string>();
  for (const selector of resources.kinds.flatMap(parseKindSelectors)) {
    const { group, version, kind, subresource } = selector;
    if (hasWildcard(kind) || subresource === "*") return new Fault(`kind "${selector.text}" has wildcards`);
    const builtin = builtinKind(kind);
    if (builtin === undefined && group === "*") {
      return new Fault(`the API group of kind "${kind}" is unknown`);
    }
    groups.add(group === "*" ? builtin!.group : group);
    versions.add(version === "*" ? builtin?.version ?? "*" : version);
    const plural = pluralOf(kind);
    names.add(subresource === "" ? plural : `${plural}/${subresource}`);
  }
  const { operations } = resources, resourceNames = objectNames(resources);
  return {
    apiGroups: [...groups],
    apiVersions: [...versions],
    resources: [...names],
    operations: operations.length > 0 ? operations : usualOperations,
    ...(resourceNames.length > 0 && { resourceNames }),
  };
}

/**
 * The operations of rules that name none. Without an object, as in a deletion, most expressions would fail, and with
 * them the request.
 */
const usualOperations = ["CREATE", "UPDATE"];

function collect(values: readonly (JsonObject | Fault)[]): readonly Json[] | Fault {
  return values.find(isFault) ?? values.filter(isObject);
}
