/** Objects as an API server sends them to the webhooks for policies. */
import assert from "node:assert/strict";
import { asString, dig, isObject, type Json, type JsonObject } from "../../lib/json/mod.ts";
import { parseReview } from "../../lib/kube/mod.ts";
import type { ObjectReviews } from "../../lib/live/mod.ts";
import { parseDocuments } from "../../lib/yaml/mod.ts";

/** The answer to the review of an object. */
export interface Reviewed {
  readonly allowed: boolean;
  readonly message: string;
  readonly warnings: readonly string[];
}

/** Reviews objects that are written in YAML: the path of the webhook, the object, and the stored one of an update. */
export function reviewer(
  reviews: ObjectReviews,
): (path: string, text: string, former?: string) => Promise<Reviewed> {
  return (path, text, former) => review(reviews, { path, text, former });
}

async function review(
  reviews: ObjectReviews,
  { path, text, former }: {
    readonly path: string;
    readonly text: string;
    readonly former: string | undefined;
  },
): Promise<Reviewed> {
  const read = (yaml: string): JsonObject => {
    const value: Json = parseDocuments(yaml, "object.yaml").documents[0]!.value;
    assert.ok(isObject(value));
    return value;
  };
  const type = { group: "kyverno.io", version: "v1", kind: "ClusterPolicy" };
  const parsed = parseReview({
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    request: {
      uid: "u",
      kind: type,
      resource: { group: "kyverno.io", version: "v1", resource: "clusterpolicies" },
      operation: former === undefined ? "CREATE" : "UPDATE",
      name: "p",
      userInfo: { username: "admin" },
      object: read(text),
      ...(former !== undefined && { oldObject: read(former) }),
    },
  });
  assert.ok(parsed.ok);
  const response = await reviews.find(path)!(parsed.review.request);
  return {
    allowed: response.allowed,
    message: asString(dig(response.status as Json | undefined ?? null, "message")) ?? "",
    warnings: response.warnings ?? [],
  };
}
