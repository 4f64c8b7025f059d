/** A kind as the API serves it. */
interface ServedKind {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly namespaced: boolean;
}

/** The path of an object, or of a part of it, in the API. */
export interface ObjectPlace {
  /** Ignored for cluster-scoped kinds; `default` when empty for others. */
  readonly namespace: string;
  readonly name: string;
  /** `status`, `scale`; empty for the object itself. */
  readonly subresource?: string;
}

/** The path of a kind's objects: those of a namespace, or, with an empty one, all. */
export function collectionPath(resource: ServedKind, namespace: string): string {
  const { group, version, plural, namespaced } = resource;
  const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  const within = namespaced && namespace !== "" ? `/namespaces/${segmentOf(namespace)}` : "";
  return `${root}${within}/${plural}`;
}

/** The path of an object. */
export function objectPath(
  resource: ServedKind,
  { namespace, name, subresource = "" }: ObjectPlace,
): string {
  const path = `${collectionPath(resource, namespace || "default")}/${segmentOf(name)}`;
  return subresource === "" ? path : `${path}/${segmentOf(subresource)}`;
}

/**
 * Names come from requests: they are escaped, so that each stays one segment. Half a surrogate pair becomes U+FFFD, which
 * is in no name.
 */
function segmentOf(name: string): string {
  return encodeURIComponent(name.toWellFormed());
}
