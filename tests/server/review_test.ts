/** Admission requests that no policy sees. */
import assert from "node:assert/strict";
import type { AdmissionRequest } from "../../lib/kube/mod.ts";
import { compileFilters } from "../../lib/server/filters.ts";
import { readReview } from "../../lib/server/review.ts";
import { admissionReview, type ReviewParts } from "./review.ts";

function requestOf(parts: ReviewParts): AdmissionRequest {
  const review = readReview(JSON.stringify(admissionReview(parts)));
  assert("request" in review);
  return review.request;
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

Deno.test("reports and update requests are seen by no policy, whatever the filters are", () => {
  const isUnseen = (group: string, kind: string): boolean =>
    compileFilters({ resourceFilters: "" })({ ...requestOf({}), kind: { group, version: "v1", kind } });
  assert.equal(isUnseen("wgpolicyk8s.io", "PolicyReport"), true);
  assert.equal(isUnseen("kyverno.io", "UpdateRequest"), true);
  assert.equal(isUnseen("example.com", "UpdateRequest"), false);
  assert.equal(isUnseen("kyverno.io", "ClusterPolicy"), false);
});
