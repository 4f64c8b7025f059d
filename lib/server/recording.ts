import { asObject, field, type Json, type JsonObject } from "../json/mod.ts";
import type { AdmissionRequest } from "../kube/mod.ts";
import type { AdmissionResponse } from "../report/mod.ts";
import type { Route } from "./review_route.ts";

/** A review with the answer that the API server got. */
export interface AnsweredReview {
  /** The path of the webhook, without the secret path. */
  readonly path: string;
  /** The policies of the webhook. */
  readonly route: Route;
  readonly request: AdmissionRequest;
  readonly response: AdmissionResponse;
  /** The bytes that the review takes in the heap. */
  readonly bytes: number;
}

/** Receives reviews after they were answered. It must return at once, because other requests wait for it. */
export interface ReviewRecorder {
  add(review: AnsweredReview): void;
}

/** The text that replaces each value of a Secret in a record, as `stringData` and as `data` have it. */
const redacted = { text: "redacted", base64: "cmVkYWN0ZWQ=" };

/** kubectl's annotation that repeats the whole object. */
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

/**
 * The AdmissionReview that a record holds: the request, the answer, and in `recorded` the time and the webhook.
 * Values of Secrets are left out, in their objects and in the answer, whose patch and messages may repeat them.
 */
export function reviewRecord({ path, route, request, response }: AnsweredReview, at: number): JsonObject {
  const isSecret = request.kind.group === "" && request.kind.kind === "Secret";
  const recorded = { at: new Date(at).toISOString(), path, ...route, ...(isSecret && { redacted: true }) };
  return {
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    recorded,
    request: isSecret ? withoutValues(request.json) : request.json,
    response: isSecret ? { uid: response.uid, allowed: response.allowed } : response as unknown as JsonObject,
  };
}

function withoutValues(request: JsonObject): JsonObject {
  const { object, oldObject } = request;
  return {
    ...request,
    ...(object !== undefined && { object: redactedSecret(object) }),
    ...(oldObject !== undefined && { oldObject: redactedSecret(oldObject) }),
  };
}

function redactedSecret(value: Json): Json {
  const secret = asObject(value);
  if (secret === undefined) return value;
  const result: { [key: string]: Json } = { ...secret };
  if ("data" in secret) result["data"] = replaced(secret["data"], redacted.base64);
  if ("stringData" in secret) result["stringData"] = replaced(secret["stringData"], redacted.text);
  const metadata = asObject(secret["metadata"]), annotations = asObject(metadata?.["annotations"]);
  if (annotations !== undefined && Object.hasOwn(annotations, lastApplied)) {
    result["metadata"] = { ...metadata, annotations: { ...annotations, [lastApplied]: redacted.text } };
  }
  return result;
}

/** A map with each value replaced. A value that is not a map is dropped, because a Secret cannot have it there. */
function replaced(map: Json | undefined, by: string): Json {
  const entries = asObject(map);
  return entries === undefined ? null : Object.fromEntries(Object.keys(entries).map((key) => [key, by]));
}

/** The webhook of a recorded review; `undefined` for another review, for which all policies are evaluated. */
export function recordedRoute(review: Json): Route | undefined {
  const { phase, failurePolicy, policy } = asObject(field(review, "recorded")) ?? {};
  if (phase !== "validate" && phase !== "mutate") return undefined;
  return {
    phase,
    ...(failurePolicy === "Fail" || failurePolicy === "Ignore" ? { failurePolicy } : {}),
    ...(typeof policy === "string" && { policy }),
  };
}
