import type { LoadTracker } from "../context/mod.ts";
import {
  asList,
  asObject,
  asString,
  Fault,
  field,
  isFault,
  isObject,
  isString,
  type Json,
  type JsonObject,
} from "../json/mod.ts";
import {
  builtinKind,
  collectionPath,
  compileLabelSelector,
  formatApiVersion,
  isObjectName,
  labelKeyProblem,
  labelsOf,
  labelValueProblem,
  listPages,
  nameOf,
  namespaceOf,
  objectPath,
} from "../kube/mod.ts";
import type { Policy } from "../policy/mod.ts";
import type { Answer, ApiResource, Cluster } from "../ports.ts";

/** A kind of the API. An empty apiVersion means the preferred version of a built-in kind. */
export interface KindReference {
  readonly apiVersion: string;
  readonly kind: string;
  /** `status`, `scale`; empty for the object itself. */
  readonly subresource?: string;
}

/** A reference to an object. The namespace is empty for cluster-scoped objects. */
export interface ObjectReference extends KindReference {
  readonly namespace: string;
  readonly name: string;
}

/** The reference to an object that the API server returned, or that has the same fields. */
export function referenceTo(object: JsonObject): ObjectReference {
  return {
    apiVersion: asString(object["apiVersion"]) ?? "",
    kind: asString(object["kind"]) ?? "",
    namespace: namespaceOf(object),
    name: nameOf(object),
  };
}

/** An object, or the cluster's message that it does not exist. */
export type Lookup = { readonly object: JsonObject } | { readonly missing: string };

/** A list of objects of a kind; an empty namespace means all namespaces. */
export interface Listing extends KindReference {
  readonly namespace: string;
  /** A LabelSelector. */
  readonly selector?: JsonObject;
}

/**
 * Reads objects for rules that change the cluster: sources and targets. Each answer is loaded once in a request.
 * While it loads, the answer is a fault, and evaluation is repeated.
 */
export interface ClusterObjects {
  get(reference: ObjectReference): Lookup | Fault;
  list(listing: Listing): readonly JsonObject[] | Fault;
}

/** Reads objects from the cluster. */
export function objectsInCluster(tracker: LoadTracker): ClusterObjects {
  return {
    get(reference) {
      const { apiVersion, kind, subresource = "", namespace, name } = reference;
      if (!isObjectName(name)) return { missing: "name is required" };
      const key = `object ${apiVersion} ${kind} ${subresource} ${namespace}/${name}`;
      const answer = tracker.load(key, async () => {
        const resource = await findKind(tracker.ports.cluster, reference);
        if (isFault(resource)) return resource;
        const path = objectPath(resource, reference);
        return found(await tracker.ports.cluster.call({ method: "GET", path, ...tracker.call }));
      });
      if (isFault(answer)) return answer;
      const object = asObject(field(answer, "object"));
      return object === undefined
        ? { missing: asString(field(answer, "missing")) ?? "not found" }
        : { object };
    },
    list(listing) {
      const selected = selection(listing.selector);
      if (isFault(selected)) return selected;
      const { apiVersion, kind, namespace } = listing;
      const labelSelector = labelsOfQuery(listing.selector);
      const query = labelSelector === "" ? "" : `?${new URLSearchParams({ labelSelector })}`;
      const answer = tracker.load(`objects ${apiVersion} ${kind} ${namespace}${query}`, async () => {
        const resource = await findKind(tracker.ports.cluster, listing);
        return isFault(resource) ? resource : await listAll(resource, { tracker, namespace, labelSelector });
      });
      return isFault(answer) ? answer : asList(answer).filter(isObject).filter(selected);
    },
  };
}

/**
 * An object in the form in which the API server would store it, from its creation in a dry run, which changes
 * nothing. A fault says why there is no answer, or that it is loading.
 */
export function createdInDryRun(
  tracker: LoadTracker,
  object: JsonObject,
  namespace: string,
): JsonObject | Fault {
  const reference = {
    apiVersion: asString(object["apiVersion"]) ?? "",
    kind: asString(object["kind"]) ?? "",
  };
  const answer = tracker.load(`dry run of ${describe(object)}`, async () => {
    const resource = await findKind(tracker.ports.cluster, reference);
    if (isFault(resource)) return resource;
    const path = `${collectionPath(resource, namespace)}?dryRun=All`;
    const within: JsonObject = resource.namespaced ? { namespace } : {};
    const body = { ...object, metadata: { ...asObject(object["metadata"]), ...within } };
    const created = await tracker.ports.cluster.call({ method: "POST", path, body, ...tracker.call });
    return created.ok ? created.body : new Fault(created.message);
  }, JSON.stringify([object, namespace]));
  return isFault(answer) || isObject(answer) ? answer : new Fault("the answer is no object");
}

/**
 * A cluster with the trigger as its only object, with which the command line shows the objects that a generate rule
 * would make. Kyverno parity: objects in other files are neither sources nor targets there. Pinned by "without a
 * cluster a clone finds no source among the other objects".
 */
export function triggerAlone(trigger: JsonObject | undefined): ClusterObjects {
  const objects = trigger === undefined ? [] : [trigger];
  const isOf = (object: JsonObject, { apiVersion, kind }: KindReference): boolean =>
    object["kind"] === kind && (apiVersion === "" || object["apiVersion"] === apiVersion);
  return {
    get(reference) {
      const object = objects.find((each) =>
        isOf(each, reference) && nameOf(each) === reference.name && namespaceOf(each) === reference.namespace
      );
      const plural = builtinKind(reference.kind)?.plural ?? reference.kind;
      return object === undefined ? { missing: `${plural} "${reference.name}" not found` } : { object };
    },
    list(listing) {
      const selected = selection(listing.selector);
      if (isFault(selected)) return selected;
      return objects.filter((each) =>
        isOf(each, listing) && (listing.namespace === "" || namespaceOf(each) === listing.namespace)
      ).filter(selected);
    },
  };
}

/** Why a policy may not change all of these objects: a policy of a namespace changes nothing outside it. */
export function namespaceViolation(
  objects: readonly JsonObject[],
  policy: Pick<Policy, "namespace">,
): Fault | undefined {
  const { namespace } = policy;
  const outside = namespace === undefined
    ? undefined
    : objects.find((object) => namespaceOf(object) !== namespace);
  return outside && new Fault(`a policy of namespace ${namespace} cannot change ${describe(outside)}`);
}

/** `Kind namespace/name`, for reasons. */
export function describe(object: JsonObject): string {
  const kind = asString(object["kind"]) ?? "object";
  const namespace = namespaceOf(object);
  return `${kind} ${namespace === "" ? "" : `${namespace}/`}${nameOf(object)}`;
}

/** The objects of a resource, read page by page: pages together count for the memory of the evaluation. */
async function listAll(
  resource: ApiResource,
  { tracker, namespace, labelSelector }: {
    readonly tracker: LoadTracker;
    readonly namespace: string;
    readonly labelSelector: string;
  },
): Promise<Json | Fault> {
  const { cluster } = tracker.ports;
  const path = collectionPath(resource, namespace);
  const cached = labelSelector === "" ? cluster.inMemory?.(path) : undefined;
  if (cached?.ok) return typed(asList(field(cached.body, "items")), resource);
  const found: Json[] = [];
  const get = (page: string): Promise<Answer> => cluster.call({ method: "GET", path: page, ...tracker.call });
  for await (const page of listPages(path, { get, labelSelector })) {
    if (!page.ok) return new Fault(page.message);
    for (const item of typed(page.items, resource)) found.push(item);
  }
  return found;
}

/**
 * The labels of a selector for a query, so that the API server sends only objects that have them. Labels that no object
 * can have, and expressions, are left to {@link selection}.
 */
function labelsOfQuery(selector: JsonObject | undefined): string {
  const labels = Object.entries(asObject(field(selector, "matchLabels")) ?? {}).flatMap(([name, value]) =>
    isString(value) && labelKeyProblem(name) === undefined && labelValueProblem(value) === undefined
      ? [`${name}=${value}`]
      : []
  );
  return labels.join(",");
}

function selection(selector: JsonObject | undefined): ((object: JsonObject) => boolean) | Fault {
  if (selector === undefined) return () => true;
  const holds = compileLabelSelector(selector);
  return isFault(holds) ? holds : (object) => holds(labelsOf(object));
}

async function findKind(cluster: Cluster, { apiVersion, kind }: KindReference): Promise<ApiResource | Fault> {
  const builtin = apiVersion === "" ? builtinKind(kind) : undefined;
  const version = builtin === undefined ? apiVersion : formatApiVersion(builtin);
  return await cluster.resource(version, kind) ??
    new Fault(`the cluster does not serve ${version === "" ? kind : `${version}/${kind}`}`);
}

function found(answer: Answer): Json | Fault {
  if (answer.ok) return { object: answer.body };
  return answer.status === 404 ? { missing: answer.message } : new Fault(answer.message);
}

/** The items of a list with the type that lists of built-in kinds leave out. */
function typed(items: readonly Json[], resource: ApiResource): JsonObject[] {
  const type = { apiVersion: formatApiVersion(resource), kind: resource.kind };
  return items.filter(isObject).map((item) => isString(item["kind"]) ? item : { ...type, ...item });
}
