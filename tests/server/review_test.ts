/** Admission requests that no policy sees. */
import assert from "node:assert/strict";
import { type PolicyRequest, policyRequest } from "../../lib/engine/mod.ts";
import type { JsonObject } from "../../lib/json/mod.ts";
import { compileFilters, type FilterConfig } from "../../lib/server/filters.ts";
import { readReview } from "../../lib/server/read_review.ts";
import { admissionReview, type ReviewParts } from "./review.ts";

function requestOf(parts: ReviewParts): PolicyRequest {
  const review = readReview(JSON.stringify(admissionReview(parts)));
  assert("request" in review);
  return policyRequest(review.request);
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
    compileFilters({ resourceFilters: "" })({ ...requestOf({}), group, kind });
  assert.equal(isUnseen("wgpolicyk8s.io", "PolicyReport"), true);
  assert.equal(isUnseen("kyverno.io", "UpdateRequest"), true);
  assert.equal(isUnseen("example.com", "UpdateRequest"), false);
  assert.equal(isUnseen("kyverno.io", "ClusterPolicy"), false);
});

const ofBoth: readonly [what: string, config: FilterConfig, isFiltered: boolean][] = [
  ["of another group of the user", { excludeGroups: ["dev*", "!ops"] }, false],
  ["of the user name", { excludeGroups: ["dev"], excludeUsernames: ["!alice"] }, false],
  ["of a group", { excludeGroups: ["!ops"], excludeUsernames: ["alice"] }, false],
  ["of another user name", { excludeGroups: ["dev"], excludeUsernames: ["!bob"] }, true],
  ["with a space", { excludeGroups: ["dev", "! ops"] }, false],
  ["of nobody", { excludeGroups: ["dev", "!"] }, true],
];
for (const [what, config, isFiltered] of ofBoth) {
  Deno.test(`an inclusion ${what} overrides exclusions as in Kyverno`, () => {
    const request = requestOf({ userInfo: { username: "alice", groups: ["dev", "ops"] } });
    assert.equal(compileFilters(config)(request), isFiltered);
  });
}

const exec: JsonObject = {
  ...admissionReview()["request"] as JsonObject,
  kind: { group: "", version: "v1", kind: "PodExecOptions" },
  subResource: "exec",
  operation: "CONNECT",
  object: { apiVersion: "v1", kind: "PodExecOptions" },
};
for (
  const [filter, isFiltered] of [
    ["[Pod/exec,*,*]", true],
    ["[Pod/*,*,*]", true],
    ["[*/*,default,*]", true],
    ["[Pod,*,*]", false],
    ["[PodExecOptions,*,*]", false],
    ["[PodExecOptions/exec,*,*]", false],
  ] as const
) {
  Deno.test(`the filter ${filter} ${isFiltered ? "holds" : "does not hold"} for an exec into a Pod`, () => {
    const review = readReview(JSON.stringify({ ...admissionReview(), request: exec }));
    assert("request" in review);
    assert.equal(compileFilters({ resourceFilters: filter })(policyRequest(review.request)), isFiltered);
  });
}
