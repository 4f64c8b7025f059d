import { asObject, type JsonObject } from "../json/mod.ts";
import {
  type AdmissionRequest,
  builtinResource,
  formatApiVersion,
  type GroupVersionKind,
} from "../kube/mod.ts";
import type { PolicyRequest } from "./request.ts";

/** Converts an admission request into the engine's form. */
export function policyRequest(request: AdmissionRequest): PolicyRequest {
  return {
    uid: request.uid,
    operation: request.operation,
    ...topLevelKind(request),
    subresource: request.subResource,
    namespace: request.namespace,
    name: request.name,
    object: ofRequest(request.object, request),
    oldObject: ofRequest(request.oldObject, request),
    requester: { username: request.userInfo.username, groups: request.userInfo.groups },
    dryRun: request.dryRun,
    variable: request.json,
  };
}

/**
 * The kind of the resource: a request for `pods/exec` is about a Pod. Kyverno parity: the kind of the request counts
 * for objects alone. Pinned by "policies are about the resource, whatever the kind says".
 */
function topLevelKind({ kind, resource }: AdmissionRequest): GroupVersionKind {
  const { group, version } = resource;
  const parent = builtinResource(resource.resource, formatApiVersion(resource));
  return parent === undefined ? kind : { group, version, kind: parent.kind };
}

/**
 * An object with the type and the namespace of its request, which override those that it names. Kyverno parity: pinned
 * by "an object without a namespace is in the request's", "an object has the type of its request".
 */
function ofRequest(object: JsonObject | null, request: AdmissionRequest): JsonObject | undefined {
  if (object === null) return undefined;
  return inNamespace(typed(object, request.kind), request);
}

function typed(object: JsonObject, type: GroupVersionKind): JsonObject {
  const apiVersion = formatApiVersion(type), { kind } = type;
  return object["kind"] === kind && object["apiVersion"] === apiVersion
    ? object
    : { ...object, apiVersion, kind };
}

function inNamespace(object: JsonObject, { namespace, kind }: AdmissionRequest): JsonObject {
  const metadata = asObject(object["metadata"]) ?? {};
  // A Namespace is in none.
  const right = kind.kind === "Namespace" ? undefined : namespace || metadata["namespace"];
  if (metadata["namespace"] === right) return object;
  const { namespace: _, ...others } = metadata;
  return { ...object, metadata: right === undefined ? others : { ...others, namespace: right } };
}
