import type { ApiResource } from "../ports.ts";

/** Where an object, or a part of it, is in the API. */
export interface ObjectPlace {
  /** Ignored for cluster-scoped kinds; `default` when empty for others. */
  readonly namespace: string;
  readonly name: string;
  /** `status`, `scale`; empty for the object itself. */
  readonly subresource?: string;
}

/** The path of a kind's objects: those of a namespace, or, with an empty one, all. */
export function collectionPath(resource: ApiResource, namespace: string): string {
  const { group, version, plural, namespaced } = resource;
  const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  const within = namespaced && namespace !== "" ? `/namespaces/${encodeURIComponent(namespace)}` : "";
  return `${root}${within}/${plural}`;
}

/** The path of an object. Names come from requests: they are escaped, so that each stays one segment. */
export function objectPath(
  resource: ApiResource,
  { namespace, name, subresource = "" }: ObjectPlace,
): string {
  const path = `${collectionPath(resource, namespace || "default")}/${encodeURIComponent(name)}`;
  return subresource === "" ? path : `${path}/${encodeURIComponent(subresource)}`;
}
