import { asList, asTexts, field, type Json, textField } from "../json/mod.ts";
import type { ApiResource } from "../ports.ts";

/** A resource that a cluster serves in one group and version. */
export interface ListedResource extends ApiResource {
  readonly verbs: readonly string[];
  /** The names of its subresources: `status`, `scale`. */
  readonly subresources: readonly string[];
}

/** A group of the API with its versions, the preferred one first. */
export interface ServedGroup {
  readonly group: string;
  readonly versions: readonly string[];
}

/**
 * Reads the resources of a group and version from its `APIResourceList`, which lists subresources such as `pods/log`
 * beside them.
 */
export function readResourceList(
  list: Json,
  { group, version }: Pick<ApiResource, "group" | "version">,
): readonly ListedResource[] {
  const resources = asList(field(list, "resources"));
  const subresources = new Map<string, string[]>();
  for (const each of resources) {
    const [plural = "", subresource] = textField(each, "name").split("/", 2);
    if (subresource !== undefined) {
      subresources.set(plural, [...subresources.get(plural) ?? [], subresource]);
    }
  }
  return resources.flatMap((each) => {
    const plural = textField(each, "name"), kind = textField(each, "kind");
    if (plural === "" || kind === "" || plural.includes("/")) return [];
    return [{
      group,
      version,
      kind,
      plural,
      namespaced: field(each, "namespaced") === true,
      verbs: asTexts(field(each, "verbs")),
      subresources: subresources.get(plural) ?? [],
    }];
  });
}

/** Reads the groups from the `APIGroupList` of `/apis`. It leaves out the core group, which comes first here. */
export function readGroupList(list: Json): readonly ServedGroup[] {
  const groups = asList(field(list, "groups")).map((each) => {
    const preferred = textField(field(each, "preferredVersion"), "version");
    const others = asList(field(each, "versions")).map((version) => textField(version, "version"))
      .filter((version) => version !== preferred);
    return { group: textField(each, "name"), versions: [preferred, ...others] };
  });
  return [{ group: "", versions: ["v1"] }, ...groups];
}
