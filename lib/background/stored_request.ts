import type { PolicyRequest } from "../engine/mod.ts";
import { asObject, dig, equal, field, isObject, type Json, type JsonObject } from "../json/mod.ts";
import {
  formatApiVersion,
  isBeingDeleted,
  nameOf,
  namespaceOf,
  objectPath,
  typeOf,
  uidOf,
} from "../kube/mod.ts";
import type { Answer, ApiResource, Cluster } from "../ports.ts";
import type { Failure } from "./failure.ts";

/** The ports with which {@link storedRequest} reads an object. */
export interface StoredRequestOptions {
  readonly cluster: Cluster;
  readonly signal: AbortSignal;
  /** Whether the request was made of an object that the cluster listed: it exists, and no review claims a change. */
  readonly isListed: boolean;
}

/**
 * The request with the stored object, if the cluster confirms it. A review alone proves nothing: anyone who reaches
 * the port can send one, and another webhook may refuse the request afterwards. So:
 *
 * - CREATE: the object exists under its name with the uid of the review, or else with all of its fields;
 * - UPDATE: it exists with its uid, in another version than the old object, and with every field that the request
 *   changed; of an update that changes nothing the cluster shows nothing, so it has no effects;
 * - DELETE: no object of that name has that uid any more, or the object is being deleted, which is final;
 * - CONNECT and the creation of a subresource leave no trace: their object exists.
 *
 * Otherwise a failure. It is retryable where the API server may still be storing the object. An object that Postern
 * may not read counts as not confirmed.
 */
export async function storedRequest(
  request: PolicyRequest,
  options: StoredRequestOptions,
): Promise<PolicyRequest | Failure> {
  const { operation, subresource, object, oldObject } = request;
  if (operation === "CONNECT" || subresource !== "" && operation !== "UPDATE") return await aboutParent();
  const reviewed = operation === "DELETE" ? oldObject : object;
  const resource = await resourceOf(request);
  if (resource === undefined) return notStored(`the cluster does not serve ${request.kind}`);
  if (reviewed === undefined || !isAbout(request, reviewed, resource)) {
    return notStored("the object is not the one that the request names");
  }
  const name = nameOf(reviewed);
  const answer = await read(resource, { namespace: namespaceOf(reviewed), name, subresource });
  if (!answer.ok && answer.status !== 404) return unread(answer);
  const found = answer.ok ? asObject(answer.body) : undefined;
  if (operation === "DELETE") return isGone(reviewed, found) ? { ...request, name } : invisible();
  if (found === undefined) return invisible();
  const isVisible = operation === "CREATE" || options.isListed
    ? showsCreation(found, reviewed)
    : showsUpdate(found, reviewed, oldObject);
  if (!isVisible) {
    return operation === "UPDATE" && equal(content(reviewed), content(oldObject))
      ? notStored("the request changes nothing")
      : invisible();
  }
  const stored = { ...typed(reviewed), ...found };
  return { ...request, name, object: stored, variable: { ...request.variable, object: stored } };

  async function aboutParent(): Promise<PolicyRequest | Failure> {
    const { namespace, name } = request;
    const resource = await resourceOf(request);
    if (name === "" || resource === undefined) return notStored("the request names no object");
    const answer = await read(resource, { namespace, name, subresource: "" });
    if (answer.ok) return request;
    return answer.status === 404 ? invisible() : unread(answer);
  }

  function resourceOf(type: PolicyRequest): Promise<ApiResource | undefined> {
    return options.cluster.resource(formatApiVersion(type), type.kind);
  }

  function read(resource: ApiResource, name: Parameters<typeof objectPath>[1]): Promise<Answer> {
    const { cluster, signal } = options;
    return cluster.call({ method: "GET", path: objectPath(resource, name), signal });
  }

  function invisible(): Failure {
    return { ...notStored(`the ${operation} cannot be seen in the cluster`), retryable: true };
  }
}

/** The failure for a request that the cluster does not confirm, and will not. */
function notStored(message: string): Failure {
  return { message, retryable: false, nothingToDo: "notStored" };
}

/** An administrator grants rights, so a missing one is reported; every other failure may be retried. */
function unread({ status, message }: Extract<Answer, { ok: false }>): Failure {
  return status === 403
    ? { message: `effects need the right to read their trigger: ${message}`, retryable: false }
    : { message, retryable: true };
}

/** Whether a reviewed object has the kind, namespace and name that the request gives. */
function isAbout(request: PolicyRequest, reviewed: JsonObject, { namespaced }: ApiResource): boolean {
  const { group, version, kind, subresource, namespace, name } = request;
  const type = typeOf(reviewed);
  // A subresource may have a kind of its own, such as Scale.
  const isTyped = subresource !== "" ||
    type.group === group && type.version === version && type.kind === kind;
  const isInScope = namespaced
    ? namespace !== "" && namespaceOf(reviewed) === namespace
    : namespace === "" || kind === "Namespace" && namespace === nameOf(reviewed);
  return isTyped && isInScope && nameOf(reviewed) !== "" && (name === "" || name === nameOf(reviewed));
}

/**
 * Whether the stored object confirms a creation. The API server sets the uid of a created object before it calls
 * webhooks; for other operations the contents are compared.
 */
function showsCreation(found: JsonObject, reviewed: JsonObject): boolean {
  const uid = uidOf(reviewed);
  return uid === "" ? contains(content(found), content(reviewed)) : uid === uidOf(found);
}

/**
 * Whether the stored object confirms an update. Later changes of other fields do not hide it; an update that was
 * refused is not mistaken for another one.
 */
function showsUpdate(found: JsonObject, reviewed: JsonObject, former: JsonObject | undefined): boolean {
  const uid = uidOf(found);
  if (uid === "" || uid !== uidOf(reviewed) || uid !== uidOf(former)) return false;
  return versionOf(found) !== versionOf(former) && shows(content(found), content(former), content(reviewed));
}

function isGone(reviewed: JsonObject, found: JsonObject | undefined): boolean {
  const uid = uidOf(reviewed);
  if (uid === "") return false;
  return found === undefined || uid !== uidOf(found) || isBeingDeleted(found);
}

/** Whether the found value has every change between two values. */
function shows(found: Json | undefined, before: Json | undefined, after: Json | undefined): boolean {
  if (isSame(before, after)) return true;
  if (!isObject(before) || !isObject(after)) return isSame(found, after);
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].every((name) => shows(field(found, name), field(before, name), field(after, name)));
}

/** Whether the found value has every field of a value. */
function contains(found: Json | undefined, wanted: Json): boolean {
  if (!isObject(wanted)) return isSame(found, wanted);
  return Object.entries(wanted).every(([name, value]) => contains(field(found, name), value));
}

function isSame(left: Json | undefined, right: Json | undefined): boolean {
  return left === undefined || right === undefined ? left === right : equal(left, right);
}

/** The object without the fields of `metadata` that the API server writes with each change. */
function content(object: JsonObject | undefined): JsonObject {
  const { resourceVersion: _version, managedFields: _fields, generation: _generation, ...metadata } =
    asObject(field(object, "metadata")) ?? {};
  return { ...object, metadata };
}

function typed({ apiVersion, kind }: JsonObject): JsonObject {
  return { ...(apiVersion !== undefined && { apiVersion }), ...(kind !== undefined && { kind }) };
}

function versionOf(object: JsonObject | undefined): Json | undefined {
  return dig(object, "metadata", "resourceVersion");
}
