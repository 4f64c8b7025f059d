import { Fault } from "../json/mod.ts";
import { type ListedResource, parseApiVersion, readResourceList, versionPath } from "../kube/mod.ts";
import type { ApiCall, Cluster } from "../ports.ts";

/** A group, version or resource as it stands in paths; anything else, such as a wildcard or `..`, names none. */
export function isApiName(text: string): boolean {
  return /^[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?$/.test(text);
}

/** Splits a resource as rules name it, such as `pods/status`; the subresource is empty for the object itself. */
export function resourceParts(text: string): { readonly plural: string; readonly subresource: string } {
  const [plural = "", ...rest] = text.split("/");
  return { plural, subresource: rest.join("/") };
}

/** Reads the resources of a group and version; none when the cluster does not serve it. */
export async function readServedResources(
  cluster: Cluster,
  apiVersion: string,
  call: Partial<ApiCall>,
): Promise<readonly ListedResource[] | Fault> {
  const type = parseApiVersion(apiVersion);
  const answer = await cluster.call({ method: "GET", path: versionPath(type), ...call });
  if (answer.ok) return readResourceList(answer.body, type);
  return answer.status === 404
    ? []
    : new Fault(`the cluster does not say what it serves of ${apiVersion}: ${answer.message}`);
}
