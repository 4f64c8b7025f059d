/** Admission requests as the engine takes them. */
import assert from "node:assert/strict";
import { policyRequest } from "../../lib/engine/mod.ts";
import { dig } from "../../lib/json/mod.ts";
import { type AdmissionRequest, parseReview } from "../../lib/kube/mod.ts";
import { admissionReview, type ReviewParts } from "../server/review.ts";

function requestOf(parts: ReviewParts): AdmissionRequest {
  const parsed = parseReview(admissionReview(parts));
  assert(parsed.ok);
  return parsed.review.request;
}

const namespaces: readonly [what: string, parts: ReviewParts, namespace: string | undefined][] = [
  ["an object without a namespace is in the request's", { object: { metadata: { name: "web" } } }, "default"],
  ["the request's namespace wins", { object: { metadata: { namespace: "other" } } }, "default"],
  ["an object of the cluster is in none", { namespace: "", object: { metadata: {} } }, undefined],
  ["a Namespace is in none", { kind: "Namespace", resource: "namespaces", namespace: "web" }, undefined],
];
for (const [what, parts, namespace] of namespaces) {
  Deno.test(what, () => {
    const { object } = policyRequest(requestOf(parts));
    assert.equal(dig(object, "metadata", "namespace"), namespace);
  });
}
