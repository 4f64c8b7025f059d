/**
 * Rows that only admission can find: written a moment later, also about objects that get their uid after their
 * mutations.
 */
import assert from "node:assert/strict";
import { systemClock } from "../../lib/adapters/mod.ts";
import { asList, field, isObject, type JsonObject } from "../../lib/json/mod.ts";
import { AdmissionReports, policyReports, ReportStore } from "../../lib/live/mod.ts";
import type { Answer, ApiCall, Clock, Cluster } from "../../lib/ports.ts";

const created: JsonObject = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web", namespace: "default" },
};
const row = (rule: string, message = "m"): JsonObject => ({
  source: "kyverno",
  policy: "labels",
  rule,
  result: "pass",
  message,
});
const podPath = "/api/v1/namespaces/default/pods/web";

/** An API server that has stored a Pod, or not; so many of its first answers to reads are failures. */
function setUp(
  pod?: { readonly uid: string; readonly age: number },
  { failures = 0, clock = systemClock() }: { readonly failures?: number; readonly clock?: Clock } = {},
) {
  const reports: JsonObject[] = [];
  const reads: string[] = [];
  const answer = (body: JsonObject | undefined): Answer =>
    body === undefined ? { ok: false, status: 404, message: "not found" } : { ok: true, status: 200, body };
  const cluster: Cluster = {
    call({ method, path, body }: ApiCall) {
      if (method === "GET" && reads.push(path) <= failures) {
        return Promise.resolve({ ok: false, status: 500, message: "failed" });
      }
      if (method === "POST" && isObject(body)) reports.push(body);
      if (path !== podPath) return Promise.resolve(answer(method === "GET" ? undefined : {}));
      const creationTimestamp = new Date(Date.now() - (pod?.age ?? 0)).toISOString();
      const metadata = { name: "web", namespace: "default", uid: pod?.uid ?? "", creationTimestamp };
      return Promise.resolve(answer(pod && { kind: "PartialObjectMetadata", metadata }));
    },
    resource: (_, kind) =>
      Promise.resolve({ group: "", version: "v1", kind, plural: "pods", namespaced: true }),
  };
  const log = { write: () => {} };
  const store = new ReportStore({
    cluster,
    log,
    collections: {
      watch: () => ({ objects: () => [], synced: Promise.resolve(), close: () => Promise.resolve() }),
    },
    kind: policyReports,
    results: new Set(["pass"]),
    isLasting: () => true,
    missed: () => {},
  });
  const waiting = new AdmissionReports({ store, cluster, clock, log, storingTime: 0 });
  const written = async (): Promise<JsonObject[]> => {
    for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setTimeout(resolve, 2));
    await waiting.close();
    return reports;
  };
  return { waiting, written, reads };
}

const rulesOf = (report: JsonObject | undefined) =>
  asList(report?.["results"]).map((each) => field(each, "rule"));

Deno.test("a mutation of an object that is created is reported under the uid that the object got", async () => {
  const { waiting, written } = setUp({ uid: "u-1", age: 0 });
  waiting.add(created, [row("add-labels")]);
  const [report, ...others] = await written();
  assert.deepEqual(others, []);
  assert.deepEqual(rulesOf(report), ["add-labels"]);
  assert.deepEqual(report?.["scope"], {
    apiVersion: "v1",
    kind: "Pod",
    name: "web",
    uid: "u-1",
    namespace: "default",
  });
});

Deno.test("decisions before and after an object has its uid make one report", async () => {
  const { waiting, written, reads } = setUp({ uid: "u-1", age: 0 });
  waiting.add(created, [row("add-labels")]);
  waiting.add({ ...created, metadata: { name: "web", namespace: "default", uid: "u-1" } }, [row("named")]);
  const found = await written();
  assert.deepEqual(found.map(rulesOf), [["add-labels", "named"]]);
  assert.ok(!reads.includes(podPath), "the uid came with the second decision");
});

const unstored: readonly (readonly [what: string, pod: { uid: string; age: number } | undefined])[] = [
  ["was not stored after all", undefined],
  ["had been there before under that name", { uid: "u-old", age: 60_000 }],
];
for (const [what, pod] of unstored) {
  Deno.test(`nothing is reported about an object that ${what}`, async () => {
    const { waiting, written } = setUp(pod);
    waiting.add(created, [row("add-labels")]);
    assert.deepEqual(await written(), []);
  });
}

for (const jump of [-3_600_000, 3_600_000]) {
  Deno.test(`a system clock that is set by ${jump} ms neither delays nor drops rows`, async () => {
    let set = 0;
    const clock = { now: () => Date.now() + set, elapsed: () => performance.now() };
    const { waiting, written } = setUp({ uid: "u-1", age: 0 }, { failures: 2, clock });
    waiting.add(created, [row("add-labels")]);
    set = jump;
    assert.deepEqual((await written()).map(rulesOf), [["add-labels"]]);
  });
}

Deno.test("nothing is reported about an object that has neither uid nor name", async () => {
  const { waiting, written, reads } = setUp({ uid: "u-1", age: 0 });
  waiting.add({ apiVersion: "v1", kind: "Pod", metadata: { generateName: "web-" } }, [row("add-labels")]);
  assert.deepEqual(await written(), []);
  assert.deepEqual(reads, []);
});

Deno.test("of two decisions of one rule the later one counts", async () => {
  const { waiting, written } = setUp({ uid: "u-1", age: 0 });
  waiting.add(created, [row("add-labels", "first")]);
  waiting.add(created, [row("add-labels", "second")]);
  const [report] = await written();
  assert.deepEqual(asList(report?.["results"]).map((each) => field(each, "message")), ["second"]);
});

for (const failures of [1, 2, 3]) {
  Deno.test(`rows that cannot be added now are added later: ${failures} reads fail`, async () => {
    const { waiting, written, reads } = setUp({ uid: "u-1", age: 0 }, { failures });
    waiting.add(created, [row("add-labels")]);
    const found = await written();
    assert.deepEqual(found.map(rulesOf), [["add-labels"]]);
    assert.ok(reads.length > failures);
  });
}
