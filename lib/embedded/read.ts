import { compareBytes, Fault, isFault, type Json, type JsonObject } from "../json/mod.ts";
import {
  compileFieldSelectorText,
  compileLabelSelectorText,
  formatApiVersion,
  labelsOf,
  nameOf,
  namespaceOf,
} from "../kube/mod.ts";
import type { ServedKind } from "./kinds.ts";
import { badRequest, notFound, type Reply, replyWith } from "./reply.ts";
import type { Store } from "./store.ts";

/** The fields of field selectors besides `metadata.name` and `metadata.namespace`. */
const selectableFields: Readonly<Record<string, readonly string[]>> = {
  "/pods": [
    "spec.nodeName",
    "spec.restartPolicy",
    "spec.schedulerName",
    "spec.serviceAccountName",
    "spec.hostNetwork",
    "status.phase",
    "status.podIP",
    "status.podIPs",
    "status.nominatedNodeName",
  ],
  "/events": [
    "involvedObject.kind",
    "involvedObject.namespace",
    "involvedObject.name",
    "involvedObject.uid",
    "involvedObject.apiVersion",
    "involvedObject.resourceVersion",
    "involvedObject.fieldPath",
    "reason",
    "reportingComponent",
    "source",
    "type",
  ],
  "/namespaces": ["status.phase", "name"],
  "/nodes": ["spec.unschedulable"],
  "/replicationcontrollers": ["status.replicas"],
  "/secrets": ["type"],
  "/services": ["spec.clusterIP", "spec.type"],
  "apps/replicasets": ["status.replicas"],
  "batch/jobs": ["status.successful"],
  "certificates.k8s.io/certificatesigningrequests": ["spec.signerName"],
};

/** An object in the requested version. */
export function shown(kind: ServedKind, object: JsonObject): JsonObject {
  const apiVersion = formatApiVersion(kind);
  return object["apiVersion"] === apiVersion ? object : { ...object, apiVersion };
}

/** GET of one object. */
export function getObject(
  store: Store,
  kind: ServedKind,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Reply {
  const object = store.get(kind, namespace, name);
  return object === undefined ? notFound(kind, name) : replyWith(shown(kind, object));
}

/** Selects the objects of a list or a deletion. */
export type ObjectFilter = (object: JsonObject) => boolean;

/** Compiles `labelSelector` and `fieldSelector` of a query, or returns the reply to a broken one. */
export function selectionOf(kind: ServedKind, query: URLSearchParams): ObjectFilter | Reply {
  const labelText = query.get("labelSelector") ?? "", fieldText = query.get("fieldSelector") ?? "";
  const byLabels = labelText.trim() === "" ? () => true : compileLabelSelectorText(labelText);
  if (isFault(byLabels)) return badRequest(byLabels.message);
  const byFields = fieldText.trim() === "" ? () => true : compileFields(kind, fieldText);
  if (isFault(byFields)) return badRequest(byFields.message);
  return (object) => byLabels(labelsOf(object)) && byFields(object);
}

function compileFields(kind: ServedKind, text: string): ObjectFilter | Fault {
  const selectable = selectableFields[`${kind.group}/${kind.plural}`] ?? [];
  for (const term of text.split(",")) {
    const sign = term.search(/[=!]/);
    if (sign < 0 || (term[sign] === "!" && term[sign + 1] !== "=")) continue; // Broken terms are reported by the compiler, commas within values are its part.
    const name = term.slice(0, sign).trim();
    if (name !== "metadata.name" && name !== "metadata.namespace" && !selectable.includes(name)) {
      return new Fault(`field label not supported: ${name}`);
    }
  }
  return compileFieldSelectorText(text);
}

/** GET of all objects of a kind, in one namespace or in all: selectors, `limit` and `continue`. */
export function listObjects(
  store: Store,
  kind: ServedKind,
  { namespace, query }: { readonly namespace: string | undefined; readonly query: URLSearchParams },
): Reply {
  const selects = selectionOf(kind, query);
  if (typeof selects !== "function") return selects;
  const limit = wholeNumber(query.get("limit"));
  if (isFault(limit)) return badRequest(limit.message);
  const after = readContinue(query.get("continue") ?? "");
  if (isFault(after)) return badRequest(after.message);
  const entries = store.entries(kind, namespace)
    .filter(([key, object]) => (after === undefined || compareBytes(key, after) > 0) && selects(object));
  const page = limit > 0 ? entries.slice(0, limit) : entries;
  const left = entries.length - page.length;
  const metadata: { [name: string]: Json } = { resourceVersion: String(store.version) };
  if (left > 0) {
    metadata["continue"] = writeContinue(page.at(-1)![0]);
    // The API server counts the remaining objects only if it need not filter them.
    if (!query.has("labelSelector") && !query.has("fieldSelector")) metadata["remainingItemCount"] = left;
  }
  return replyWith(listOf(kind, page.map(([, object]) => object), metadata));
}

/** The list object of a kind: `PodList`. */
export function listOf(kind: ServedKind, objects: readonly JsonObject[], metadata: JsonObject): JsonObject {
  const items = objects.map((object) => kind.builtin ? withoutType(object) : shown(kind, object));
  return { kind: `${kind.kind}List`, apiVersion: formatApiVersion(kind), metadata, items };
}

/** Kubernetes parity: items of built-in lists carry no kind and apiVersion; those of custom resources do. */
function withoutType(object: JsonObject): JsonObject {
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = object;
  return rest;
}

function wholeNumber(text: string | null): number | Fault {
  if (text === null || text === "") return 0;
  if (/^[+-]?\d{1,18}$/.test(text)) return Number(text);
  return new Fault(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
}

function writeContinue(key: string): string {
  return btoa(encodeURIComponent(key)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The key after which the list continues; `undefined` for the beginning. */
function readContinue(token: string): string | undefined | Fault {
  if (token === "") return undefined;
  try {
    return decodeURIComponent(atob(token.replaceAll("-", "+").replaceAll("_", "/")));
  } catch {
    return new Fault("invalid continue token: continue key is not valid: illegal base64 data");
  }
}

/** The namespace and name of an object. */
export function namespacedNameOf(object: JsonObject): { readonly namespace: string; readonly name: string } {
  return { namespace: namespaceOf(object), name: nameOf(object) };
}
