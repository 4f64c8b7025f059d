import { asObject, type Json, type JsonObject, nestsDeeperThan } from "../json/mod.ts";
import {
  type AdmissionRequest,
  builtinResource,
  formatApiVersion,
  type GroupVersionKind,
  parseReview,
} from "../kube/mod.ts";
import type { PolicyRequest } from "../engine/mod.ts";

/** The answer to a body that is no review: an HTTP status and a message. */
export interface HttpError {
  readonly status: 400 | 408 | 413 | 415 | 417 | 503;
  readonly message: string;
  /** The review's uid; empty when it cannot be read. */
  readonly uid: string;
}

/** The API server's own limit for objects is 3 MB; a review may hold two of them. */
export const maxReviewBytes = 5 * 1024 * 1024;

/** Deeper JSON is refused before it is parsed: nothing that Kubernetes accepts nests so far. */
const maxDepth = 500;

/** Reads the text of an AdmissionReview. Never throws. */
export function readReview(text: string): { request: AdmissionRequest } | HttpError {
  if (text.trim() === "") return { status: 400, message: "the request has an empty body", uid: "" };
  if (nestsDeeperThan(maxDepth, text)) {
    return { status: 400, message: `the body nests deeper than ${maxDepth} levels`, uid: "" };
  }
  let body: Json;
  try {
    body = JSON.parse(text) as Json;
  } catch (cause) {
    return {
      status: 417,
      message: `the body is not JSON: ${cause instanceof Error ? cause.message : String(cause)}`,
      uid: "",
    };
  }
  const parsed = parseReview(body);
  return parsed.ok
    ? { request: parsed.review.request }
    : { status: 400, message: parsed.message, uid: parsed.uid };
}

/** An admission request as the engine takes it. */
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

/** A request for a subresource is about the kind that has it: `pods/exec` about Pod. */
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
