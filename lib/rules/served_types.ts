import { asList, asString, Fault, field, isString, type Json } from "../json/mod.ts";
import { formatApiVersion, parseApiVersion, versionPath } from "../kube/mod.ts";
import type { ApiCall, Cluster } from "../ports.ts";

/** A kind that the cluster serves in one group and version. */
export interface ServedType {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  /** The names of its subresources: `status`, `scale`. */
  readonly subresources: readonly string[];
}

/** A group, version or resource as it stands in paths; anything else, such as a wildcard or `..`, names none. */
export function isApiName(text: string): boolean {
  return /^[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?$/.test(text);
}

/** Splits a resource as rules name it, such as `pods/status`; the subresource is empty for the object itself. */
export function resourceParts(text: string): { readonly plural: string; readonly subresource: string } {
  const [plural = "", ...rest] = text.split("/");
  return { plural, subresource: rest.join("/") };
}

/** The kinds of a group and version; none when the cluster does not serve it. */
export async function readServedTypes(
  cluster: Cluster,
  apiVersion: string,
  call: Partial<ApiCall>,
): Promise<readonly ServedType[] | Fault> {
  const type = parseApiVersion(apiVersion);
  const answer = await cluster.call({ method: "GET", path: versionPath(type), ...call });
  if (answer.ok) return servedTypesOf(answer.body, formatApiVersion(type));
  return answer.status === 404
    ? []
    : new Fault(`the cluster does not say what it serves of ${apiVersion}: ${answer.message}`);
}

function servedTypesOf(list: Json, apiVersion: string): readonly ServedType[] {
  const resources = asList(field(list, "resources"));
  const subresources = new Map<string, string[]>();
  for (const name of resources.map((each) => field(each, "name")).filter(isString)) {
    const [plural = "", subresource] = name.split("/", 2);
    if (subresource === undefined) continue;
    subresources.set(plural, [...subresources.get(plural) ?? [], subresource]);
  }
  return resources.flatMap((each) => {
    const plural = asString(field(each, "name")) ?? "", kind = asString(field(each, "kind")) ?? "";
    if (plural === "" || kind === "" || plural.includes("/")) return [];
    return [{ apiVersion, kind, plural, subresources: subresources.get(plural) ?? [] }];
  });
}
