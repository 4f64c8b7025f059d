/** Admission requests as the engine takes them. */
import assert from "node:assert/strict";
import { policyRequest } from "../../lib/engine/mod.ts";
import { dig } from "../../lib/json/mod.ts";
import { type AdmissionRequest, parseReview } from "../../lib/kube/mod.ts";
import { admissionReview, pod, type ReviewParts } from "../server/review.ts";

function requestOf(parts: ReviewParts): AdmissionRequest {
  const parsed = parseReview(admissionReview(parts));
  assert(parsed.ok);
  return parsed.review.request;
}

const namespaces: readonly [what: string, parts: ReviewParts, namespace: string | undefined][] = [
  ["an object without a namespace is in the request's", {
    object: { kind: "Pod", metadata: { name: "web" } },
  }, "default"],
  ["the request's namespace wins", { object: pod({ namespace: "other" }) }, "default"],
  ["an object of the cluster is in none", { namespace: "", object: { kind: "Pod" } }, undefined],
  ["a Namespace is in none", { kind: "Namespace", resource: "namespaces", namespace: "web" }, undefined],
  ["a Namespace is not in one that it names", {
    kind: "Namespace",
    resource: "namespaces",
    namespace: "web",
    object: { kind: "Namespace", metadata: { name: "web", namespace: "other" } },
  }, undefined],
];
for (const [what, parts, namespace] of namespaces) {
  Deno.test(what, () => {
    const { object } = policyRequest(requestOf(parts));
    assert.equal(dig(object, "metadata", "namespace"), namespace);
  });
}

Deno.test("an object has the type of its request", () => {
  const former = { ...pod(), apiVersion: "v2" };
  const request = policyRequest(
    requestOf({ operation: "UPDATE", object: { ...former, kind: "Secret" }, oldObject: former }),
  );
  assert.deepEqual([request.object, request.oldObject], [pod(), pod()]);
  assert.equal(dig(request.variable, "object", "kind"), "Secret");
});

Deno.test("policies are about the resource, whatever the kind says", () => {
  const { group, version, kind } = policyRequest(requestOf({ kind: "Secret", resource: "pods" }));
  assert.deepEqual([group, version, kind], ["", "v1", "Pod"]);
  assert.equal(policyRequest(requestOf({ kind: "Widget", resource: "widgets" })).kind, "Widget");
});

Deno.test("an object that has the type and the namespace of its request is not copied", () => {
  const request = requestOf({});
  assert.equal(policyRequest(request).object, request.object);
});
