/** Events and rows of reports that wait for the API server after an answer: they must not keep their requests. */
import assert from "node:assert/strict";
import { type Decision, evaluate, type PolicyRequest, policyRequest } from "../../lib/engine/mod.ts";
import { asList, type Json, type JsonObject, jsonSize } from "../../lib/json/mod.ts";
import { parseReview } from "../../lib/kube/mod.ts";
import {
  AdmissionReports,
  decisionEvents,
  EventWriter,
  policyReports,
  ReportStore,
} from "../../lib/live/mod.ts";
import { reportOf } from "../../lib/live/reports/report.ts";
import { rowsOf } from "../../lib/live/reports/rows.ts";
import type { Clock, Cluster } from "../../lib/ports.ts";
import { admissionReview } from "../server/review.ts";
import { portsOf, silentCluster as cluster, snapshotOf } from "../server/serving.ts";
import { heapGrowth } from "../support/heap_growth.ts";

const clock: Clock = { now: () => 0 };
const log = { write: () => {} };

/** A policy whose rule fails for all Pods. */
const failing = (validate: string, more = ""): string => `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: failing}
spec:
  background: false
  validationFailureAction: Audit
  rules:
  - name: r
    match: {any: [{resources: {kinds: [Pod]}}]}
    ${more}
    validate: ${validate}
`;

const policies: readonly (readonly [what: string, policy: string])[] = [
  [
    "the beginning of the object's text",
    failing(`{message: "no {{ request.object.spec.text }}", deny: {}}`),
  ],
  [
    "a word of it",
    failing(`{message: "no {{ split(request.object.spec.text, ',')[0] }}", deny: {}}`),
  ],
  [
    "a report property with it",
    failing("{message: none, deny: {}}", `reportProperties: {a: "of {{ request.object.spec.text }}"}`),
  ],
];

const count = 40;

interface Decided {
  readonly request: PolicyRequest;
  readonly object: JsonObject;
  readonly decision: Decision;
}

/** Decides about Pods of a megabyte, one after the other. */
async function decideAll(policy: string, decided: (each: Decided) => void): Promise<void> {
  const snapshot = snapshotOf(policy);
  for (let index = 0; index < count; index++) {
    const object = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: `p${index}`, namespace: "default", uid: `u${index}` },
      spec: { text: "a sentence of many words,".repeat(40_000) },
    };
    // As the listener reads it, so that no two Pods share a text.
    const body = JSON.parse(JSON.stringify(admissionReview({ uid: `r${index}`, object }))) as JsonObject;
    const parsed = parseReview(body);
    assert.ok(parsed.ok);
    const request = policyRequest(parsed.review.request);
    const decision = await evaluate(snapshot, request, { phase: "validate", rules: "all", ports: portsOf() });
    decided({ request, decision, object: request.object! });
  }
}

/** Bytes for each Pod that may be kept. */
const most = 100_000;

for (const [what, policy] of policies) {
  Deno.test(`events that wait keep no object, also when their message has ${what}`, async () => {
    const writer = new EventWriter({ cluster, clock, log, omitted: new Set(), successActions: () => [] });
    const policyObject = () => ({
      apiVersion: "kyverno.io/v1",
      kind: "ClusterPolicy",
      metadata: { name: "p" },
    });
    const grown = await heapGrowth(() =>
      decideAll(policy, ({ request, decision }) => {
        const context = { request, policyObject, exceptionObject: () => undefined, successes: true };
        writer.add(decisionEvents(decision, context));
      })
    );
    assert.equal(writer.dropped, 0);
    assert.ok(grown < count * most, `${grown} bytes`);
  });

  Deno.test(`rows that wait keep no object, also when their message has ${what}`, async () => {
    const store = storeOf(cluster);
    const reports = new AdmissionReports({ store, cluster, clock, log, storingTime: 3_600_000 });
    const grown = await heapGrowth(() =>
      decideAll(policy, ({ decision, object }) => reports.add(object, rowsOf(decision.results, object, 0)))
    );
    await reports.close();
    assert.ok(grown < count * most, `${grown} bytes`);
  });
}

function storeOf(cluster: Cluster): ReportStore {
  const watch = () => ({ objects: () => [], synced: Promise.resolve(), close: () => Promise.resolve() });
  return new ReportStore({
    cluster,
    log,
    collections: { watch },
    kind: policyReports,
    results: new Set(["fail"]),
    isLasting: () => true,
    missed: () => {},
  });
}

const pod = (name: string): JsonObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "default", uid: name },
});
const row = (rule: string, result: string, message: string): JsonObject => ({
  source: "kyverno",
  policy: "p",
  rule,
  result,
  message,
});

Deno.test("rows that wait have a bound together, which is logged when it is reached", async () => {
  const lines: string[] = [];
  const counting = { write: (_: string, message: string) => void lines.push(message) };
  const reports = new AdmissionReports({
    store: storeOf(cluster),
    cluster,
    clock,
    log: counting,
    storingTime: 3_600_000,
  });
  const text = "a".repeat(16_000);
  const grown = await heapGrowth(() => {
    for (let index = 0; index < 2_000; index++) {
      reports.add(pod(`p${index}`), [row("r", "fail", `${index} ${text}`)]);
    }
    return Promise.resolve();
  });
  await reports.close();
  assert.deepEqual(lines, ["too many rows wait for their report: rows about some are left out"]);
  assert.ok(grown > 4_000_000 && grown < 16_000_000, `${grown} bytes`);
});

Deno.test("events about an object whose name is no name are left out", async () => {
  const paths: string[] = [];
  const writer = new EventWriter({
    cluster: {
      ...cluster,
      call: ({ path }) => {
        paths.push(path);
        return Promise.resolve({ ok: true, status: 201, body: {} });
      },
    },
    clock,
    log,
    omitted: new Set(),
    successActions: () => [],
  });
  const regarding = { kind: "ClusterPolicy", name: "p" };
  const event = {
    regarding,
    reason: "PolicyViolation",
    action: "None",
    message: "m",
    component: "c",
  } as const;
  writer.add([
    { ...event, related: { kind: "Pod", name: "a".repeat(254) } },
    { ...event, regarding: { kind: "Pod", name: "a".repeat(254) } },
    { ...event, related: { kind: "Pod", name: "a".repeat(253) } },
  ]);
  await writer.drain();
  assert.equal(paths.length, 1);
});

Deno.test("the message of an event has at most 1,024 bytes", async () => {
  const notes: string[] = [];
  const call: Cluster["call"] = ({ body }) => {
    notes.push(String((body as JsonObject)["note"]));
    return Promise.resolve({ ok: true, status: 201, body: {} });
  };
  const options = { cluster: { ...cluster, call }, clock, log, omitted: new Set<never>() };
  const writer = new EventWriter({ ...options, successActions: () => [] });
  const regarding = { kind: "ClusterPolicy", name: "p" };
  const event = { regarding, reason: "PolicyViolation", action: "None", component: "c" } as const;
  writer.add(
    ["a".repeat(2_000), "é".repeat(600), "a😀".repeat(300)].map((message) => ({ ...event, message })),
  );
  await writer.drain();
  assert.deepEqual(notes, ["a".repeat(1_024), "é".repeat(512), `${"a😀".repeat(204)}a`]);
});

const counts = (report: JsonObject): Json => report["summary"] ?? null;

Deno.test("a report whose rows are too large for etcd has shorter texts", () => {
  const properties = { long: "b".repeat(16_000), process: "admission review" };
  const rows = Array.from({ length: 100 }, (_, index) => ({
    ...row(`r${index}`, "fail", "a".repeat(16_000)),
    properties,
  }));
  const report = reportOf(pod("p"), rows, policyReports);
  assert.ok(jsonSize(report) < 1_100_000, String(jsonSize(report)));
  const results = asList(report["results"]) as readonly (JsonObject & { properties: JsonObject })[];
  assert.equal(results.length, 100);
  assert.equal(results[0]!["message"], `${"a".repeat(2_000)} … (14000 more characters)`);
  assert.equal(results[0]!.properties["process"], "admission review");
  assert.deepEqual(counts(report), { pass: 0, fail: 100, warn: 0, error: 0, skip: 0 });
});

Deno.test("a report with too many rows keeps those that did not pass, and counts all", () => {
  const rows = Array.from(
    { length: 12_000 },
    (_, index) => row(`r${index}`, index % 1_000 === 0 ? "fail" : "pass", "a".repeat(100)),
  );
  const report = reportOf(pod("p"), rows, policyReports);
  assert.ok(jsonSize(report) < 1_100_000, String(jsonSize(report)));
  const results = asList(report["results"]) as readonly JsonObject[];
  assert.equal(results.filter(({ result }) => result === "fail").length, 12);
  assert.ok(results.length > 4_000, String(results.length));
  assert.deepEqual(counts(report), { pass: 11_988, fail: 12, warn: 0, error: 0, skip: 0 });
});

Deno.test("a report property is cut as a message is", async () => {
  const [, , [, policy]] = policies as [unknown, unknown, readonly [string, string]];
  let cut = "";
  await decideAll(policy, ({ decision }) => {
    cut = String(decision.results[0]!.rules[0]!.properties?.["a"]);
  });
  assert.equal(cut.length, 16_384 + " … (983619 more characters)".length);
});
