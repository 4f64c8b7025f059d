import { Fault, isObject, type JsonObject } from "../json/mod.ts";
import { builtinKind, collectionPath, formatApiVersion, listOfMetadata, listPages } from "../kube/mod.ts";
import type { ApiResource, Cluster } from "../ports.ts";

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

/** The objects to list of a resource. */
export interface ResourceListing {
  readonly cluster: Cluster;
  /** Ends the list: what is not listed then is a fault. */
  readonly signal?: AbortSignal;
  /** All namespaces when absent or empty. */
  readonly namespace?: string | undefined;
  /** A label selector in the API's form: `team=a,tier`; all objects when empty or absent. */
  readonly labelSelector?: string;
  /** A field selector: `metadata.name=a`; all objects when absent. */
  readonly fieldSelector?: string;
  /** Whether to read the metadata of the objects alone: the rest is then missing. */
  readonly onlyMetadata?: boolean;
}

/** Why objects could not be listed. */
export class ListFault extends Fault {
  /** Whether the API server forbids the list or has none: another attempt fails, too, until somebody changes that. */
  readonly isFinal: boolean;

  constructor(message: string, status?: number) {
    super(message);
    this.isFinal = status === 403 || status === 404 || status === 405;
  }
}

/**
 * The stored objects of a kind. A fault comes last when the kind cannot be listed: the objects before it are then
 * incomplete.
 */
export async function* listObjects(
  { apiVersion, kind, namespace, labels = {} }: ObjectListing,
  { cluster, signal }: { readonly cluster: Cluster; readonly signal: AbortSignal },
): AsyncGenerator<JsonObject | ListFault> {
  const builtin = apiVersion === "" ? builtinKind(kind) : undefined;
  const version = builtin === undefined ? apiVersion : formatApiVersion(builtin);
  const resource = await cluster.resource(version, kind);
  if (resource === undefined) {
    yield new ListFault(`the cluster does not serve ${version}/${kind}`);
    return;
  }
  const labelSelector = Object.entries(labels).map(([name, value]) => `${name}=${value}`).join(",");
  yield* listResource(resource, { cluster, signal, namespace, labelSelector });
}

/** The stored objects of a resource, read page by page. A fault comes last when a page cannot be read. */
export async function* listResource(
  resource: ApiResource,
  { cluster, signal, namespace = "", labelSelector, fieldSelector, onlyMetadata = false }: ResourceListing,
): AsyncGenerator<JsonObject | ListFault> {
  const type = { apiVersion: formatApiVersion(resource), kind: resource.kind };
  const call = { ...(signal !== undefined && { signal }), ...(onlyMetadata && { accept: listOfMetadata }) };
  const pages = listPages(collectionPath(resource, namespace), {
    get: (path) => cluster.call({ method: "GET", path, ...call }),
    labelSelector,
    fieldSelector,
  });
  for await (const page of pages) {
    if (!page.ok) return yield new ListFault(page.message, page.status);
    // Items of a list lack apiVersion and kind; in a list of metadata they have those of PartialObjectMetadata.
    for (const item of page.items) if (isObject(item)) yield { ...type, ...item, ...(onlyMetadata && type) };
  }
}
