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
    object: inNamespace(request.object, request),
    oldObject: inNamespace(request.oldObject, request),
    requester: { username: request.userInfo.username, groups: request.userInfo.groups },
    dryRun: request.dryRun,
    variable: request.json,
  };
}

/** The kind of the parent resource: a request for `pods/exec` is about a Pod. */
function topLevelKind({ kind, resource, subResource }: AdmissionRequest): GroupVersionKind {
  if (subResource === "") return kind;
  const { group, version } = resource;
  const parent = builtinResource(resource.resource, formatApiVersion(resource));
  return parent === undefined ? kind : { group, version, kind: parent.kind };
}

/**
 * Puts an object into the request's namespace. Kyverno parity: pinned by "an object without a namespace is in the
 * request's".
 */
function inNamespace(
  object: JsonObject | null,
  { namespace, kind }: AdmissionRequest,
): JsonObject | undefined {
  if (object === null) return undefined;
  if (namespace === "" || kind.kind === "Namespace") return object;
  const metadata = asObject(object["metadata"]) ?? {};
  return metadata["namespace"] === namespace ? object : { ...object, metadata: { ...metadata, namespace } };
}
