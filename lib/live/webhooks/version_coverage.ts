import type { Stages } from "../../json/mod.ts";
import { coversResource, type Target } from "./target.ts";

/** A resource in one of the versions in which a cluster serves it. */
export interface VersionedResource {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
}

/** The resources that a cluster serves, and the groups whose resources are all among them. */
export interface ServedVersions {
  readonly served: readonly VersionedResource[];
  readonly isCompleteFor: (group: string) => boolean;
}

/** The versions in which targets name a resource, by the resource; `*` for all. */
export type VersionCoverage = ReadonlyMap<string, ReadonlySet<string>>;

/** A resource that some target names in some of its versions. */
interface PartlyNamed {
  readonly key: string;
  readonly group: string;
  readonly resource: string;
  /** The versions that are served; `undefined` when the API server did not list them. */
  readonly versions: ReadonlySet<string> | undefined;
}

/**
 * The versions in which lists of targets name those resources that one of them names in some versions alone. The API
 * server converts an object for a webhook that is called for another version of its resource, but only if the webhook
 * is not also called for the version of the object. When policies about different versions share a webhook, the
 * policies about one version therefore miss the objects that are written in another. Whoever writes the object chooses
 * the version. Each stage is about one list.
 */
export function* versionCoverages(
  lists: readonly (readonly Target[])[],
  versions: ServedVersions,
): Stages<readonly VersionCoverage[]> {
  const partly = yield* partlyNamed(lists, versions);
  if (partly.length === 0) return lists.map(() => new Map());
  const coverages: VersionCoverage[] = [];
  for (const targets of lists) {
    const byGroup = Map.groupBy(targets, ({ group }) => group);
    const coverage = new Map<string, ReadonlySet<string>>();
    for (const named of partly) {
      const near = [...byGroup.get(named.group) ?? [], ...byGroup.get("*") ?? []];
      const versions = versionsIn(near, named);
      if (versions.size > 0) coverage.set(named.key, versions);
    }
    coverages.push(coverage);
    yield;
  }
  return coverages;
}

/** All versions that some of the coverages have. */
export function joinedCoverage(coverages: readonly VersionCoverage[]): VersionCoverage {
  const joined = new Map<string, ReadonlySet<string>>();
  for (const coverage of coverages) {
    for (const [key, versions] of coverage) joined.set(key, versions.union(joined.get(key) ?? new Set()));
  }
  return joined;
}

/** Whether a webhook with another coverage is called for objects that the API server would have to convert. */
export function isShadowed(coverage: VersionCoverage, by: VersionCoverage): boolean {
  return [...coverage].some(([key, versions]) =>
    !versions.has("*") && !(by.get(key) ?? new Set()).isSubsetOf(versions)
  );
}

function* partlyNamed(
  lists: readonly (readonly Target[])[],
  { served, isCompleteFor }: ServedVersions,
): Stages<PartlyNamed[]> {
  const byResource = new Map<string, Set<string>>();
  for (const { group, plural, version } of served) {
    const key = `${group}/${plural}`, versions = byResource.get(key);
    if (versions === undefined) byResource.set(key, new Set([version]));
    else versions.add(version);
  }
  const found = new Map<string, PartlyNamed>();
  const add = (group: string, resource: string, versions: PartlyNamed["versions"]): void => {
    const key = `${group}/${resource}`;
    found.set(key, { key, group, resource, versions });
  };
  const several = [...byResource].filter(([, { size }]) => size > 1);
  for (const targets of lists) {
    for (const { group, version, resource } of targets) {
      if (version === "*") continue;
      const [name = "", subresource] = resource.split("/"),
        end = subresource === undefined ? "" : `/${subresource}`;
      if (group !== "*" && name !== "*" && !isCompleteFor(group)) add(group, resource, undefined);
      for (const [key, versions] of several) {
        const [ofGroup = "", plural = ""] = key.split("/");
        if (
          (group === "*" || group === ofGroup) && (name === "*" || name === plural) && versions.has(version)
        ) {
          add(ofGroup, `${plural}${end}`, versions);
        }
      }
    }
    yield;
  }
  return [...found.values()];
}

function versionsIn(targets: readonly Target[], { resource, versions }: PartlyNamed): ReadonlySet<string> {
  const found = new Set<string>();
  for (const target of targets) if (coversResource(target.resource, resource)) found.add(target.version);
  const isAll = found.has("*") || versions !== undefined && versions.isSubsetOf(found);
  return isAll ? new Set(["*"]) : versions === undefined ? found : found.intersection(versions);
}
