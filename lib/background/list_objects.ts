import { asList, asString, dig, Fault, field, isObject, type JsonObject } from "../json/mod.ts";
import { builtinKind, collectionPath, formatApiVersion } from "../kube/mod.ts";
import type { Cluster } from "../ports.ts";

/** The kind, namespace and labels of the objects to list. */
export interface ObjectListing {
  /** Empty for the preferred version of a built-in kind. */
  readonly apiVersion: string;
  readonly kind: string;
  /** Empty for all, and for cluster-scoped kinds. */
  readonly namespace: string;
  /** Labels that all of them have. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** The objects of a page: some megabytes at most with ordinary objects. */
const pageSize = 250;

/**
 * The stored objects of a kind, page by page, so that memory holds one page however many there are. When the kind
 * cannot be listed it yields a fault last: the objects before it are then incomplete.
 */
export async function* listObjects(
  { apiVersion, kind, namespace, labels = {} }: ObjectListing,
  { cluster, signal }: { readonly cluster: Cluster; readonly signal: AbortSignal },
): AsyncGenerator<JsonObject | Fault> {
  const builtin = apiVersion === "" ? builtinKind(kind) : undefined;
  const version = builtin === undefined ? apiVersion : formatApiVersion(builtin);
  const resource = await cluster.resource(version, kind);
  if (resource === undefined) {
    yield new Fault(`the cluster does not serve ${version}/${kind}`);
    return;
  }
  const collection = collectionPath(resource, namespace);
  const labelSelector = Object.entries(labels).map(([name, value]) => `${name}=${value}`).join(",");
  for (let token: string | undefined = ""; token !== undefined;) {
    const query = new URLSearchParams({
      limit: String(pageSize),
      ...(labelSelector !== "" && { labelSelector }),
      ...(token !== "" && { continue: token }),
    });
    const answer = await cluster.call({ method: "GET", path: `${collection}?${query}`, signal });
    if (!answer.ok) {
      yield new Fault(answer.message);
      return;
    }
    // Items of a list have no apiVersion and kind.
    for (const item of asList(field(answer.body, "items"))) {
      if (isObject(item)) yield { apiVersion: version, kind, ...item };
    }
    token = asString(dig(answer.body, "metadata", "continue")) || undefined;
  }
}
