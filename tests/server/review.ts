/** Reviews for tests. */
import type { Json, JsonObject } from "../../lib/json/mod.ts";

/** The differences from a Pod `web` that is created in `default`. */
export interface ReviewParts {
  readonly uid?: string;
  readonly kind?: string;
  readonly resource?: string;
  readonly operation?: string;
  readonly namespace?: string;
  readonly object?: Json;
  readonly oldObject?: Json;
  readonly dryRun?: boolean;
  readonly userInfo?: JsonObject;
}

/** A Pod with one container. */
export function pod(metadata: JsonObject = {}): JsonObject {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "web", namespace: "default", ...metadata },
    spec: { containers: [{ name: "web", image: "nginx:1.27" }] },
  };
}

/** An AdmissionReview as the API server sends it. */
export function admissionReview(parts: ReviewParts = {}): JsonObject {
  const { uid = "review-1", kind = "Pod", resource = "pods", operation = "CREATE", namespace = "default" } =
    parts;
  const object = parts.object ??
    (kind === "Pod" ? pod() : { apiVersion: "v1", kind, metadata: { name: "web" } });
  return {
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    request: {
      uid,
      kind: { group: "", version: "v1", kind },
      resource: { group: "", version: "v1", resource },
      name: "web",
      namespace,
      operation,
      userInfo: parts.userInfo ?? { username: "alice", groups: ["system:authenticated"] },
      object: operation === "DELETE" ? null : object,
      oldObject: parts.oldObject ?? (operation === "DELETE" ? object : null),
      dryRun: parts.dryRun ?? false,
      options: null,
    },
  };
}
