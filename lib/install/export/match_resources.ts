import {
  asList,
  asObject,
  asString,
  asTexts,
  Fault,
  field,
  isFault,
  isObject,
  type Json,
  type JsonObject,
} from "../../json/mod.ts";
import { builtinKind, hasWildcard, parseKindSelectors, pluralOf } from "../../kube/mod.ts";
import type { Rule } from "../../policy/mod.ts";

const nameLabel = "kubernetes.io/metadata.name";

/**
 * The MatchResources that select what a rule matches and does not exclude; a fault says what of it cannot be said there.
 * A namespace restricts the rule of a Policy.
 */
export function matchResourcesOf(rule: Rule, namespace: string | undefined): JsonObject | Fault {
  const match = filtersOf(rule.match, "match");
  if (isFault(match)) return match;
  const exclude = filtersOf(rule.exclude ?? {}, "exclude");
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
    ...(namespace === undefined ? [] : [within("In", [namespace])]),
    ...selectors.flatMap((filter) => namespacesOf(filter, "In")),
    ...exclude.filter((filter) => !hasKinds(filter)).flatMap((filter) => namespacesOf(filter, "NotIn")),
  ];
  const given = asObject(field(selectors[0], "namespaceSelector"));
  const namespaceSelector = expressions.length === 0 ? given : {
    ...given,
    matchExpressions: [...asList(given?.["matchExpressions"]), ...expressions],
  };
  const objectSelector = asObject(field(selectors[0], "selector"));
  return {
    resourceRules,
    ...(excluded.length > 0 && { excludeResourceRules: excluded }),
    ...(namespaceSelector !== undefined && { namespaceSelector }),
    ...(objectSelector !== undefined && { objectSelector }),
  };
}

/** The `resources` of every filter, if they say nothing that MatchResources cannot. */
function filtersOf(block: JsonObject, name: "match" | "exclude"): JsonObject[] | Fault {
  const all = asList(block["all"]);
  if (all.length > 1) return new Fault(`${name}.all has several filters`);
  const listed = [...asList(block["any"]), ...all].filter(isObject);
  const filters = listed.length > 0 ? listed : Object.keys(block).length > 0 ? [block] : [];
  const found: JsonObject[] = [];
  for (const filter of filters) {
    const problem = filterProblem(filter, name);
    if (problem !== undefined) return new Fault(`${name} ${problem}`);
    found.push(asObject(filter["resources"]) ?? {});
  }
  return found;
}

function filterProblem(filter: JsonObject, name: "match" | "exclude"): string | undefined {
  for (const user of ["subjects", "roles", "clusterRoles"]) {
    if (asList(filter[user]).length > 0) return `is about ${user}`;
  }
  const resources = asObject(filter["resources"]) ?? {};
  if (Object.keys(asObject(resources["annotations"]) ?? {}).length > 0) return "is about annotations";
  const named = [...asTexts(resources["names"]), ...asTexts(resources["namespaces"])];
  const single = asString(resources["name"]);
  if ([...named, ...(single === undefined ? [] : [single])].some(hasWildcard)) {
    return "has wildcards in names";
  }
  if (JSON.stringify([resources["selector"], resources["namespaceSelector"]]).match(/[*?]/)) {
    return "has wildcards in selectors";
  }
  if (name === "match") return hasKinds(resources) ? undefined : "names no kinds";
  if (isObject(resources["selector"]) || isObject(resources["namespaceSelector"])) return "is about labels";
  if (hasKinds(resources)) {
    return asList(resources["namespaces"]).length > 0 ? "is about kinds in a namespace" : undefined;
  }
  const isNamespaces = asList(resources["namespaces"]).length > 0 &&
    asList(resources["names"]).length === 0 &&
    single === undefined && asList(resources["operations"]).length === 0;
  return isNamespaces ? undefined : "is neither about kinds nor about namespaces";
}

function hasKinds(resources: JsonObject): boolean {
  return asList(resources["kinds"]).length > 0;
}

function restricts(resources: JsonObject): boolean {
  return isObject(resources["selector"]) || isObject(resources["namespaceSelector"]) ||
    asList(resources["namespaces"]).length > 0;
}

function namespacesOf(resources: JsonObject, operator: "In" | "NotIn"): JsonObject[] {
  const namespaces = asTexts(resources["namespaces"]);
  return namespaces.length === 0 ? [] : [within(operator, namespaces)];
}

function within(operator: "In" | "NotIn", values: readonly string[]): JsonObject {
  return { key: nameLabel, operator, values };
}

/** Kinds and operations of a filter; kinds of one group and version come together. */
function resourceRule(resources: JsonObject): JsonObject | Fault {
  const groups = new Set<string>(), versions = new Set<string>(), names = new Set<string>();
  for (const selector of asTexts(resources["kinds"]).flatMap(parseKindSelectors)) {
    const { group, version, kind, subresource } = selector;
    if (hasWildcard(kind) || subresource === "*") return new Fault(`kind "${selector.text}" has wildcards`);
    const known = builtinKind(kind);
    if (known === undefined && group === "*") return new Fault(`the group of kind "${kind}" is not known`);
    groups.add(group === "*" ? known!.group : group);
    versions.add(version === "*" ? known?.version ?? "*" : version);
    const plural = pluralOf(kind);
    names.add(subresource === "" ? plural : `${plural}/${subresource}`);
  }
  const operations = asTexts(resources["operations"]);
  const single = asString(resources["name"]);
  const resourceNames = [...asTexts(resources["names"]), ...(single ? [single] : [])];
  return {
    apiGroups: [...groups],
    apiVersions: [...versions],
    resources: [...names],
    operations: operations.length > 0 ? operations : usualOperations,
    ...(resourceNames.length > 0 && { resourceNames }),
  };
}

/**
 * For rules that name no operations: without an object, as in a deletion, most expressions would fail, and with them the
 * request.
 */
const usualOperations = ["CREATE", "UPDATE"];

function collect(values: readonly (JsonObject | Fault)[]): readonly Json[] | Fault {
  return values.find(isFault) ?? values.filter(isObject);
}
