import {
  asList,
  asObject,
  asString,
  asTexts,
  type DocumentPath,
  field,
  isGiven,
  isObject,
  type Json,
  type JsonObject,
} from "../json/mod.ts";

/** The criteria of a filter for resources. Each list holds alternatives; an empty one is no restriction. */
export interface ResourceCriteria {
  readonly kinds: readonly string[];
  /** A wildcard, as in `names` and `namespaces`; empty when there is none. */
  readonly name: string;
  readonly names: readonly string[];
  readonly namespaces: readonly string[];
  /** Wildcards for keys and values. */
  readonly annotations: JsonObject;
  /** LabelSelectors. */
  readonly selector: Json | undefined;
  readonly namespaceSelector: Json | undefined;
  readonly operations: readonly string[];
}

/** One filter of a match or exclude block: all of its criteria must hold. */
export interface MatchFilter {
  readonly resources: ResourceCriteria;
  /** Users, groups and service accounts. */
  readonly subjects: readonly Json[];
  readonly roles: readonly string[];
  readonly clusterRoles: readonly string[];
  /** The filter in the current spelling, for explanations. */
  readonly written: JsonObject;
}

/**
 * A match or exclude block: alternatives, conjunctions, or one filter in the direct form. When several are given,
 * `any` wins over `all`, and both win over the direct form.
 */
export interface MatchBlock {
  readonly form: "any" | "all" | "direct";
  readonly filters: readonly MatchFilter[];
  /** The block in the current spelling. */
  readonly written: JsonObject;
}

/** The criteria of a filter that select by the user. */
export const userCriteria = ["subjects", "roles", "clusterRoles"] as const;

/** A filter as its author wrote it. */
export interface WrittenFilter {
  readonly filter: Json;
  /** The path below the rule or spec that has the match and exclude blocks. */
  readonly path: DocumentPath;
}

/** The filters of a match or exclude block, as they are written: the block itself, and those of its lists. */
export function writtenFilters(holder: Json, name: "match" | "exclude"): WrittenFilter[] {
  const block = field(holder, name);
  if (block === undefined) return [];
  const listed = ["any", "all"].flatMap((form) =>
    asList(field(block, form)).map((filter, index) => ({ filter, path: [name, form, index] }))
  );
  return [{ filter: block, path: [name] }, ...listed];
}

/** The paths at which the match and exclude blocks of a rule or spec select by the user. */
export function writtenUserCriteria(holder: Json): DocumentPath[] {
  const filters = [...writtenFilters(holder, "match"), ...writtenFilters(holder, "exclude")];
  return filters.flatMap(({ filter, path }) =>
    userCriteria.filter((name) => asList(field(filter, name)).length > 0).map((name) => [...path, name])
  );
}

/** The filters of a rule's match and exclude blocks. */
export function ruleFilters(
  { match, exclude }: { readonly match: MatchBlock; readonly exclude: MatchBlock | undefined },
): readonly MatchFilter[] {
  return [...match.filters, ...exclude?.filters ?? []];
}

/** Parses a match or exclude block in the current spelling. */
export function parseMatch(written: JsonObject): MatchBlock {
  for (const form of ["any", "all"] as const) {
    const listed = asList(written[form]).filter(isObject);
    if (listed.length > 0) return { form, filters: listed.map(parseFilter), written };
  }
  return { form: "direct", filters: [parseFilter(written)], written };
}

function parseFilter(written: JsonObject): MatchFilter {
  const resources = asObject(written["resources"]) ?? {};
  return {
    resources: {
      kinds: asTexts(resources["kinds"]),
      name: asString(resources["name"]) ?? "",
      names: asTexts(resources["names"]),
      namespaces: asTexts(resources["namespaces"]),
      annotations: asObject(resources["annotations"]) ?? {},
      selector: given(resources["selector"]),
      namespaceSelector: given(resources["namespaceSelector"]),
      operations: asTexts(resources["operations"]),
    },
    subjects: asList(written["subjects"]),
    roles: asTexts(written["roles"]),
    clusterRoles: asTexts(written["clusterRoles"]),
    written,
  };
}

function given(value: Json | undefined): Json | undefined {
  return isGiven(value) ? value : undefined;
}
