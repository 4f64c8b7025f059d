import { asList, isObject, type Json, type JsonObject } from "../json/mod.ts";
import { hasWildcard } from "../kube/mod.ts";
import { type MatchFilter, type ResourceCriteria, userCriteria } from "../policy/mod.ts";

/** A part of a filter that the API server's MatchResources cannot express. */
export type InexpressiblePart =
  | (typeof userCriteria)[number]
  | "annotations"
  | "wildcards in names"
  | "wildcards in selectors"
  | "an object selector"
  | "a namespace selector"
  | "kinds in a namespace";

/**
 * The first part of a filter that MatchResources cannot express; `undefined` when they can express the whole filter.
 * They select by labels and by namespaces, but exclude only resources, or whole namespaces (Kubernetes API:
 * `admissionregistration.k8s.io/v1`, MatchResources).
 */
export function inexpressiblePart(
  { resources, ...users }: MatchFilter,
  block: "match" | "exclude",
): InexpressiblePart | undefined {
  for (const user of userCriteria) if (users[user].length > 0) return user;
  const { annotations, name, names, namespaces, kinds, selector, namespaceSelector } = resources;
  if (Object.keys(annotations).length > 0) return "annotations";
  if ([...names, ...namespaces, name].some(hasWildcard)) return "wildcards in names";
  if (/[*?]/.test(JSON.stringify([selector, namespaceSelector]))) return "wildcards in selectors";
  if (block === "match") return undefined;
  if (isObject(selector)) return "an object selector";
  if (isObject(namespaceSelector)) return "a namespace selector";
  return kinds.length > 0 && namespaces.length > 0 ? "kinds in a namespace" : undefined;
}

/** A requirement on the names of namespaces. */
export function namespaceNames(operator: "In" | "NotIn", values: readonly string[]): JsonObject {
  return { key: "kubernetes.io/metadata.name", operator, values: [...values] };
}

/** A namespace selector with further requirements; the selector itself when there are none. */
export function withRequirements(
  selector: JsonObject | undefined,
  requirements: readonly JsonObject[],
): JsonObject | undefined {
  if (requirements.length === 0) return selector;
  return { ...selector, matchExpressions: [...asList(selector?.["matchExpressions"]), ...requirements] };
}

/** The names of the objects that a filter selects; none when it selects objects of any name. */
export function objectNames({ name, names }: ResourceCriteria): string[] {
  return name === "" ? [...names] : [...names, name];
}

/** The parts of MatchResources that the match of a rule can have. */
export interface MatchResourcesParts {
  readonly resourceRules: readonly Json[];
  readonly excludeResourceRules: readonly Json[];
  readonly namespaceSelector: JsonObject | undefined;
  readonly objectSelector: JsonObject | undefined;
}

/** Writes MatchResources, without the parts that are absent. */
export function matchResources(parts: MatchResourcesParts): JsonObject {
  const { resourceRules, excludeResourceRules, namespaceSelector, objectSelector } = parts;
  return {
    resourceRules,
    ...(excludeResourceRules.length > 0 && { excludeResourceRules }),
    ...(namespaceSelector !== undefined && { namespaceSelector }),
    ...(objectSelector !== undefined && { objectSelector }),
  };
}
