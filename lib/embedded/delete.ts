import { asList, asObject, asString, dig, field, type JsonObject } from "../json/mod.ts";
import { dryRunRefusal, isDryRun, numbered, type WriteRequest, type Writing } from "./commit.ts";
import { isDefinition } from "./object_rules.ts";
import { listOf, namespacedNameOf, selectionOf, shown } from "./read.ts";
import { conflict, deleted, forbidden, methodNotAllowed, notFound, type Reply, replyWith } from "./reply.ts";
import { timestamp } from "./write.ts";

/** The namespaces that cannot be deleted. */
const immortal = new Set(["default", "kube-system", "kube-public"]);

/**
 * DELETE of one object. An object with finalizers is only marked. Deleting a namespace deletes its objects at once.
 * Objects whose owner is deleted stay, because collecting them is a controller's work.
 */
export function deleteObject(writing: Writing, request: WriteRequest): Reply {
  const { kind, namespace, name, body, query } = request;
  const refusal = dryRunRefusal(query);
  if (refusal !== undefined) return refusal;
  const live = writing.store.get(kind, namespace, name);
  if (live === undefined) return notFound(kind, name);
  if (isNamespace(request) && immortal.has(name)) {
    return forbidden(kind, name, "this namespace may not be deleted");
  }
  const wanted = asString(dig(body, "preconditions", "uid"));
  const uid = dig(live, "metadata", "uid") ?? null;
  if (wanted !== undefined && wanted !== uid) {
    const why = `the UID in the precondition (${wanted}) does not match the UID in record (${uid}). ` +
      "The object might have been deleted and then recreated";
    return conflict(kind, name, why);
  }
  const after = isDryRun(query) ? live : takeAway(writing, request, live);
  const stays = asList(dig(live, "metadata", "finalizers")).length > 0;
  return stays || isNamespace(request) || kind.kind === "Pod"
    ? replyWith(shown(kind, after))
    : deleted(kind, name, uid);
}

/** DELETE of the objects of a kind that selectors select, in a namespace or in the cluster. */
export function deleteCollection(writing: Writing, request: WriteRequest): Reply {
  const { kind, query } = request;
  if (isNamespace(request)) return methodNotAllowed();
  const refusal = dryRunRefusal(query);
  if (refusal !== undefined) return refusal;
  const selects = selectionOf(kind, query);
  if (typeof selects !== "function") return selects;
  const within = kind.namespaced ? request.namespace : undefined;
  const chosen = writing.store.entries(kind, within).map(([, object]) => object).filter(selects);
  if (!isDryRun(query)) {
    for (const object of chosen) takeAway(writing, { ...request, ...namespacedNameOf(object) }, object);
  }
  return replyWith(listOf(kind, chosen, { resourceVersion: String(writing.store.version) }));
}

/** Deletes an object, or marks it while it has finalizers; returns its last state. */
function takeAway(writing: Writing, request: WriteRequest, live: JsonObject): JsonObject {
  const { kind } = request;
  const metadata = asObject(live["metadata"]) ?? {};
  const marked = numbered(writing.store, {
    ...live,
    ...(isNamespace(request) ? { status: { ...asObject(live["status"]), phase: "Terminating" } } : {}),
    metadata: {
      deletionGracePeriodSeconds: 0,
      ...metadata,
      deletionTimestamp: metadata["deletionTimestamp"] ?? timestamp(writing.clock),
    },
  });
  if (asList(field(metadata, "finalizers")).length > 0) {
    writing.store.put(kind, marked);
    return marked;
  }
  const { namespace, name } = namespacedNameOf(live);
  writing.store.remove(kind, namespace, name);
  if (isNamespace(request)) writing.store.clearNamespace(name);
  if (isDefinition(kind)) {
    const key = writing.kinds.undefine(live);
    if (key !== undefined) writing.store.clear(key);
  }
  return marked;
}

function isNamespace({ kind }: WriteRequest): boolean {
  return kind.group === "" && kind.kind === "Namespace";
}
