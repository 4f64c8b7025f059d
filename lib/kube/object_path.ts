/** The facts about a kind that determine its paths in the API. */
interface ServedKind {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly namespaced: boolean;
}

/** The path of an object, or of a part of it, in the API. */
export interface ObjectName {
  /** Ignored for cluster-scoped kinds; `default` when empty for others. */
  readonly namespace: string;
  readonly name: string;
  /** `status`, `scale`; empty for the object itself. */
  readonly subresource?: string;
}

/** The path of a group and version in the API: `/api/v1`, `/apis/GROUP/VERSION`. */
export function versionPath({ group, version }: Pick<ServedKind, "group" | "version">): string {
  const last = segmentOf(version);
  return group === "" ? `/api/${last}` : `/apis/${segmentOf(group)}/${last}`;
}

/** The path of a kind's objects in a namespace, or in all namespaces if the namespace is empty. */
export function collectionPath(resource: ServedKind, namespace: string): string {
  const { plural, namespaced } = resource;
  const within = namespaced && namespace !== "" ? `/namespaces/${segmentOf(namespace)}` : "";
  return `${versionPath(resource)}${within}/${plural}`;
}

/**
 * Whether a text names an object. A name that a request or a policy chooses may be empty, and the API server takes the
 * path of an object without a name for the path of all objects: whoever looks up one object checks its name first.
 */
export function isObjectName(name: string): boolean {
  return name !== "";
}

/** The path of an object. Its name must be one, see {@link isObjectName}. */
export function objectPath(
  resource: ServedKind,
  { namespace, name, subresource = "" }: ObjectName,
): string {
  const path = `${collectionPath(resource, namespace || "default")}/${segmentOf(name)}`;
  return subresource === "" ? path : `${path}/${segmentOf(subresource)}`;
}

/**
 * Escapes a name, because names come from requests and policies, and each must stay one segment of the path. Half a
 * surrogate pair becomes U+FFFD, which no name contains.
 */
function segmentOf(name: string): string {
  return encodeURIComponent(name.toWellFormed());
}
