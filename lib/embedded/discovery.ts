import type { JsonObject } from "../json/mod.ts";
import { formatApiVersion } from "../kube/mod.ts";
import type { Kinds, ServedKind } from "./kinds.ts";
import { noSuchPath, type Reply, replyWith } from "./reply.ts";
import { reviewResources } from "./reviews.ts";

const verbs = ["create", "delete", "deletecollection", "get", "list", "patch", "update"];

/** `/api`: the versions of the core group. */
export function coreVersions(): Reply {
  return replyWith({ kind: "APIVersions", versions: ["v1"], serverAddressByClientCIDRs: [] });
}

/** `/apis`: the other groups. */
export function groupList(kinds: Kinds): Reply {
  const groups = [...versionsByGroup(kinds).keys()].filter((group) => group !== "");
  return replyWith({
    kind: "APIGroupList",
    apiVersion: "v1",
    groups: groups.map((group) => describeGroup(kinds, group)),
  });
}

/** `/apis/GROUP`. */
export function groupReply(kinds: Kinds, group: string): Reply {
  if (group === "" || !versionsByGroup(kinds).has(group)) return noSuchPath();
  return replyWith({ kind: "APIGroup", apiVersion: "v1", ...describeGroup(kinds, group) });
}

/** `/apis/GROUP/VERSION` and `/api/v1`: the resources of a group and version. */
export function resourceList(kinds: Kinds, type: { group: string; version: string }): Reply {
  if (!servesVersion(kinds, type)) return noSuchPath();
  const stored = kinds.all().filter((kind) => kind.group === type.group && kind.version === type.version);
  const reviewed = type.version === "v1" ? reviewResources().filter(({ group }) => group === type.group) : [];
  const resources: JsonObject[] = [
    ...stored.flatMap(describeKind),
    ...reviewed.map(({ plural, kind, namespaced }) => ({
      name: plural,
      singularName: kind.toLowerCase(),
      namespaced,
      kind,
      verbs: ["create"],
    })),
  ];
  return replyWith({
    kind: "APIResourceList",
    apiVersion: "v1",
    groupVersion: formatApiVersion(type),
    resources,
  });
}

/** Whether a group and version is served. */
export function servesVersion(kinds: Kinds, type: { group: string; version: string }): boolean {
  return versionsByGroup(kinds).get(type.group)?.includes(type.version) ?? false;
}

function describeKind(kind: ServedKind): JsonObject[] {
  const whole = {
    name: kind.plural,
    singularName: kind.kind.toLowerCase(),
    namespaced: kind.namespaced,
    kind: kind.kind,
    verbs,
  };
  if (!kind.subresources.includes("status")) return [whole];
  const status = { ...whole, name: `${kind.plural}/status`, singularName: "" };
  return [whole, { ...status, verbs: ["get", "patch", "update"] }];
}

function describeGroup(kinds: Kinds, group: string): JsonObject {
  const versions = (versionsByGroup(kinds).get(group) ?? []).map((version) => ({
    groupVersion: `${group}/${version}`,
    version,
  }));
  return { name: group, versions, preferredVersion: versions[0]! };
}

function versionsByGroup(kinds: Kinds): Map<string, string[]> {
  const versions = new Map<string, string[]>();
  const types = [...kinds.all(), ...reviewResources().map(({ group }) => ({ group, version: "v1" }))];
  for (const { group, version } of types) {
    const served = versions.get(group);
    if (served === undefined) versions.set(group, [version]);
    else if (!served.includes(version)) served.push(version);
  }
  return versions;
}
