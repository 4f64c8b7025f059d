import assert from "node:assert/strict";
import { asList, dig, field, type Json, type JsonObject } from "../../lib/json/mod.ts";
import { type ReportedResult, reportedResult, reportFormats } from "../../lib/report/mod.ts";
import { parseDocuments } from "../../lib/yaml/mod.ts";
import { identity, result } from "./decisions.ts";

const resource: JsonObject = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web", namespace: "default", uid: "1-2" },
};
const now = Date.UTC(2026, 0, 2, 3, 4, 5, 678);

const unscored = identity("unscored", { annotations: { "policies.kyverno.io/scored": "false" } });
const annotated = identity("team/annotated", {
  namespace: "team",
  annotations: { "policies.kyverno.io/category": "Best Practices", "policies.kyverno.io/severity": "high" },
});

const reported: readonly ReportedResult[] = [
  { policy: unscored, resource, rules: [result("b"), result("a", { result: "pass", message: "fine" })] },
  { policy: annotated, resource, rules: [result("a", { properties: { standard: "baseline" } })] },
  { policy: identity("p"), resource: { kind: "Namespace" }, rules: [result("e", { result: "error" })] },
];

/** The documents of a report over results, in JSON and in YAML, which must say the same. */
function documents(results: readonly ReportedResult[], auditWarn = false): JsonObject[] {
  const texts = ["report", "report-json"].map((name) => {
    const writer = reportFormats.get(name)!.open({ now, version: "1.2.3", auditWarn, folder: "/" });
    const added = results.map((one) => writer.add({ resource: one.resource, results: [one] }));
    const summary = { pass: 0, fail: 0, warn: 0, error: 0, skip: 0 };
    return [...added, writer.end({ summary, diagnostics: [] })].join("");
  });
  const [yaml, json] = texts.map((text) =>
    parseDocuments(text, "report").documents.map(({ value }) => value)
  );
  assert.deepEqual(yaml, json);
  return json as JsonObject[];
}

function rowsOf(results: readonly ReportedResult[]): readonly Json[] {
  return documents(results).flatMap((report) => asList(report["results"]));
}

Deno.test("the cluster's report comes first, then those of namespaces, with a row for each rule", () => {
  const [cluster, namespace, ...more] = documents(reported);
  assert.deepEqual(more, []);
  const { results, ...rest } = cluster!;
  assert.deepEqual(rest, {
    apiVersion: "openreports.io/v1alpha1",
    kind: "ClusterReport",
    metadata: { name: "merged" },
    source: "postern",
    summary: { pass: 1, fail: 0, warn: 1, error: 1, skip: 0 },
  });
  assert.deepEqual(
    asList(results).map((row) => [field(row, "policy"), field(row, "rule"), field(row, "result")]),
    [["unscored", "b", "warn"], ["unscored", "a", "pass"], ["p", "e", "error"]],
  );
  assert.deepEqual(namespace, {
    apiVersion: "openreports.io/v1alpha1",
    kind: "Report",
    metadata: { name: "merged", namespace: "team" },
    source: "postern",
    results: [{
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
      properties: { standard: "baseline", process: "background scan" },
    }],
    summary: { pass: 0, fail: 1, warn: 0, error: 0, skip: 0 },
  });
});

Deno.test("rows of policies that are not scored do not have the field", () => {
  const rows = rowsOf([
    { policy: unscored, resource, rules: [result("b")] },
    { policy: identity("p"), resource, rules: [result("a")] },
  ]);
  assert.deepEqual(rows.map((row) => field(row, "scored")), [undefined, true]);
});

Deno.test("without results there is one empty cluster report", () => {
  const summary = { pass: 0, fail: 0, warn: 0, error: 0, skip: 0 };
  const [{ results, summary: counts }, ...more] = documents([]) as [JsonObject, ...JsonObject[]];
  assert.deepEqual([results, counts, more], [[], summary, []]);
});

Deno.test("with auditWarn, failures of audit rules warn", () => {
  const rules = [result("audited", { action: "Audit" }), result("enforced", { action: "Enforce" })];
  const [report] = documents([{ policy: identity("p"), resource, rules }], true);
  assert.deepEqual(asList(report!["results"]).map((row) => field(row, "result")), ["warn", "fail"]);
});

Deno.test("an invalid severity is left out, and exceptions are properties", () => {
  const policy = identity("p", { annotations: { "policies.kyverno.io/severity": "terrible" } });
  const rules = [result("a", { result: "skip", exceptions: ["team/one", "team/two"] })];
  const [row] = rowsOf([{ policy, resource, rules }]);
  assert.equal(field(row!, "severity"), undefined);
  assert.equal(dig(row!, "properties", "exceptions"), "one,two");
});

Deno.test("an object without metadata is still a resource of the report", () => {
  const row = rowsOf(reported).find((each) => field(each, "policy") === "p");
  assert.deepEqual(dig(row!, "resources"), [{ apiVersion: "", kind: "Namespace", name: "" }]);
});

Deno.test("only failures of policies that are not scored become warnings", () => {
  const outcomes = (["pass", "fail", "skip", "error"] as const).map((outcome) =>
    reportedResult(unscored, result("r", { result: outcome }))
  );
  assert.deepEqual(outcomes, ["pass", "warn", "skip", "error"]);
  assert.equal(reportedResult(identity("p"), result("r")), "fail");
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
    const [row] = rowsOf([{ policy: identity("p"), resource, rules }]);
    assert.equal(field(row!, "message"), message);
  });
}

Deno.test("a report property replaces the message of its result", () => {
  const rules = [
    result("a", { properties: { failMessage: "in my words" } }),
    result("b", { properties: { passMessage: "fine" } }),
    result("c", { properties: { message: "always" } }),
  ];
  const [report] = documents([{ policy: identity("p"), resource, rules }]);
  const messages = asList(report!["results"]).map((row) => field(row, "message"));
  assert.deepEqual(messages, ["in my words", "b says no", "always"]);
});

const processes: [kind: string, change: { background?: boolean; admission?: boolean }, process: string][] = [
  ["ValidatingPolicy", {}, "background scan"],
  ["ClusterPolicy", { background: false }, "admission review"],
  ["ImageValidatingPolicy", { background: false, admission: false }, ""],
  ["NamespacedGeneratingPolicy", {}, "admission review"],
];
for (const [kind, change, process] of processes) {
  Deno.test(`a result of a ${kind} with ${JSON.stringify(change)} is of the process "${process}"`, () => {
    const [row] = rowsOf([{ policy: identity("p", { kind, ...change }), resource, rules: [result("a")] }]);
    assert.equal(dig(row!, "properties", "process"), process);
  });
}

Deno.test("the source of a result follows from the kind of its policy", () => {
  const kinds = [
    "ClusterPolicy",
    "ValidatingPolicy",
    "NamespacedMutatingPolicy",
    "ValidatingAdmissionPolicy",
    "DeletingPolicy",
  ];
  const sources = kinds.map((kind) => {
    const [report] = documents([{ policy: identity("p", { kind }), resource, rules: [result("a")] }]);
    return field(asList(report!["results"])[0], "source");
  });
  assert.deepEqual(sources, [
    "kyverno",
    "KyvernoValidatingPolicy",
    "KyvernoMutatingPolicy",
    "ValidatingAdmissionPolicy",
    "kyverno",
  ]);
});
