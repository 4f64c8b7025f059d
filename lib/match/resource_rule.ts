import { asTexts, type JsonObject } from "../json/mod.ts";

/** Resources and operations of the API; `*` stands for any group, version, resource or subresource. */
export interface ResourceRule {
  readonly groups: readonly string[];
  readonly versions: readonly string[];
  readonly resources: readonly string[];
  readonly operations: readonly string[];
  readonly scope: "Namespaced" | "Cluster" | "*";
}

/** A resource of the API in one group and version. */
export interface NamedResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/** The groups, versions and resources of a rule. */
export type ResourceNames = Pick<ResourceRule, "groups" | "versions" | "resources">;

/** The most combinations of groups, versions and resources of a policy that are compared one by one. */
export const mostCombinations = 300;

/** Reads `{apiGroups, apiVersions, resources}`. */
export function writtenNames(rule: JsonObject): ResourceNames {
  return {
    groups: asTexts(rule["apiGroups"]),
    versions: asTexts(rule["apiVersions"]),
    resources: asTexts(rule["resources"]),
  };
}

/** The number of {@link resourcesOfRule}. */
export function combinationsOf({ groups, versions, resources }: ResourceNames): number {
  return groups.length * versions.length * resources.length;
}

/** The resources that a rule names, each in every group and version of the rule. */
export function resourcesOfRule({ groups, versions, resources }: ResourceNames): NamedResource[] {
  return groups.flatMap((group) =>
    versions.flatMap((version) => resources.map((resource) => ({ group, version, resource })))
  );
}
