import { asList, asString, dig, Fault, field, isObject, type JsonObject } from "../json/mod.ts";
import { builtinKind, formatApiVersion } from "../kube/mod.ts";
import type { Cluster } from "../ports.ts";
import { collectionPath } from "./object_path.ts";

/** An object by its identity: labels of generated objects name triggers so. */
export interface UidReference {
  /** Empty for the preferred version of a built-in kind. */
  readonly apiVersion: string;
  readonly kind: string;
  /** Empty for cluster-scoped kinds. */
  readonly namespace: string;
  readonly uid: string;
}

/**
 * The stored object with a uid; `undefined` when there is none. The API has no selector for uids, so its kind is read page
 * by page until the object is found. A fault when the kind cannot be listed: that is no absence.
 */
export async function findByUid(
  { apiVersion, kind, namespace, uid }: UidReference,
  { cluster, signal }: { readonly cluster: Cluster; readonly signal: AbortSignal },
): Promise<JsonObject | undefined | Fault> {
  const builtin = apiVersion === "" ? builtinKind(kind) : undefined;
  const version = builtin === undefined ? apiVersion : formatApiVersion(builtin);
  const resource = await cluster.resource(version, kind);
  if (resource === undefined) return new Fault(`the cluster does not serve ${version}/${kind}`);
  const collection = collectionPath(resource, namespace);
  for (let token: string | undefined = ""; token !== undefined;) {
    const query = new URLSearchParams({ limit: String(pageSize), ...(token !== "" && { continue: token }) });
    const answer = await cluster.call({ method: "GET", path: `${collection}?${query}`, signal });
    if (!answer.ok) return new Fault(answer.message);
    const found = asList(field(answer.body, "items")).find((item) => dig(item, "metadata", "uid") === uid);
    // Items of lists leave out what they are.
    if (isObject(found)) return { apiVersion: version, kind, ...found };
    token = asString(dig(answer.body, "metadata", "continue")) || undefined;
  }
  return undefined;
}

/** Objects a page: some megabytes at the most, with ordinary objects. */
const pageSize = 250;
