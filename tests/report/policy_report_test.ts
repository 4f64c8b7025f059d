import assert from "node:assert/strict";
import { asList, dig, field, type JsonObject } from "../../lib/json/mod.ts";
import { clusterReport, type ReportedResult, reportedResult, summarise } from "../../lib/report/mod.ts";
import { identity, result } from "./decisions.ts";

const resource: JsonObject = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web", namespace: "default", uid: "1-2" },
};
const now = Date.UTC(2026, 0, 2, 3, 4, 5, 678);

const unscored = identity("unscored", { annotations: { "policies.kyverno.io/scored": "false" } });
const annotated = identity("team/annotated", {
  annotations: { "policies.kyverno.io/category": "Best Practices", "policies.kyverno.io/severity": "high" },
});

const reported: readonly ReportedResult[] = [
  { policy: unscored, resource, rules: [result("b"), result("a", { result: "pass", message: "fine" })] },
  { policy: annotated, resource, rules: [result("a", { properties: { standard: "baseline" } })] },
  { policy: identity("p"), resource: { kind: "Namespace" }, rules: [result("e", { result: "error" })] },
];

Deno.test("a report has a row a rule, in the order of policies and rules", () => {
  const { results, ...rest } = clusterReport(reported, now);
  assert.deepEqual(rest, {
    apiVersion: "openreports.io/v1alpha1",
    kind: "ClusterReport",
    metadata: { name: "merged" },
    source: "postern",
    summary: { pass: 1, fail: 1, warn: 1, error: 1, skip: 0 },
  });
  assert.deepEqual(
    asList(results).map((row) => [field(row, "policy"), field(row, "rule"), field(row, "result")]),
    [["p", "e", "error"], ["team/annotated", "a", "fail"], ["unscored", "a", "pass"], [
      "unscored",
      "b",
      "warn",
    ]],
  );
  assert.deepEqual(asList(results)[1], {
    source: "kyverno",
    policy: "team/annotated",
    rule: "a",
    category: "Best Practices",
    severity: "high",
    timestamp: { seconds: 1767323045, nanos: 0 },
    result: "fail",
    scored: true,
    resources: [{ apiVersion: "v1", kind: "Pod", namespace: "default", name: "web", uid: "1-2" }],
    message: "a says no",
    properties: { standard: "baseline" },
  });
});

Deno.test("an object without metadata is still a resource of the report", () => {
  const rows = asList(clusterReport(reported, now)["results"]);
  assert.deepEqual(dig(rows[0]!, "resources"), [{ apiVersion: "", kind: "Namespace", name: "" }]);
});

Deno.test("only failures of policies that are not scored become warnings", () => {
  const outcomes = (["pass", "fail", "skip", "error"] as const).map((outcome) =>
    reportedResult(unscored, result("r", { result: outcome }))
  );
  assert.deepEqual(outcomes, ["pass", "warn", "skip", "error"]);
  assert.equal(reportedResult(identity("p"), result("r")), "fail");
  assert.deepEqual(summarise([]), { pass: 0, fail: 0, warn: 0, error: 0, skip: 0 });
});

const worded: [properties: JsonObject, outcome: "pass" | "fail", message: string][] = [
  [{}, "fail", "r says no"],
  [{ failMessage: "mend it" }, "fail", "mend it"],
  [{ failMessage: "mend it" }, "pass", "r says no"],
  [{ passMessage: "well done", failMessage: "mend it" }, "pass", "well done"],
  [{ failMessage: "mend it", message: "in any case" }, "fail", "in any case"],
  [{ failMessage: "" }, "fail", "r says no"],
];
for (const [properties, outcome, message] of worded) {
  Deno.test(`reportProperties ${JSON.stringify(properties)} make a ${outcome} say: ${message}`, () => {
    const rules = [result("r", { result: outcome, properties })];
    const [row] = asList(clusterReport([{ policy: identity("p"), resource, rules }], now)["results"]);
    assert.equal(field(row, "message"), message);
  });
}
