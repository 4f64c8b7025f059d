/** Admission requests as the engine takes them, and those that no policy sees. */
import assert from "node:assert/strict";
import { dig } from "../../lib/json/mod.ts";
import type { AdmissionRequest } from "../../lib/kube/mod.ts";
import { compileFilters } from "../../lib/server/filters.ts";
import { policyRequest, readReview } from "../../lib/server/review.ts";
import { admissionReview, type ReviewParts } from "./review.ts";

function requestOf(parts: ReviewParts): AdmissionRequest {
  const review = readReview(JSON.stringify(admissionReview(parts)));
  assert("request" in review);
  return review.request;
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

const filters: readonly [what: string, excludeUsernames: readonly string[], isFiltered: boolean][] = [
  ["an excluded user name is filtered", ["ali*"], true],
  ["another user name is not filtered", ["bob"], false],
  ["an inclusion overrides an exclusion", ["*", "!alice"], false],
  ["an inclusion of another user name does not", ["*", "!bob"], true],
  ["an inclusion alone excludes nobody", ["!bob"], false],
];
for (const [what, excludeUsernames, isFiltered] of filters) {
  Deno.test(what, () => {
    assert.equal(compileFilters({ excludeUsernames })(requestOf({})), isFiltered);
  });
}
