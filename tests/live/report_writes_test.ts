/** Writes of reports on an API server that fails: what is stored in the end, and what is given up. */
import assert from "node:assert/strict";
import { EmbeddedCluster } from "../../lib/embedded/mod.ts";
import { asList, dig, field, isObject, type Json, type JsonObject } from "../../lib/json/mod.ts";
import { policyReports, ReportStore } from "../../lib/live/mod.ts";
import type { Answer, ApiCall } from "../../lib/ports.ts";
import { countingEntropy, fixedClock } from "../adapters/fakes.ts";
import { keptLog } from "../background/setting.ts";

const pod: JsonObject = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web", namespace: "default", uid: "u-1", resourceVersion: "1" },
};
const path = "/apis/wgpolicyk8s.io/v1alpha2/namespaces/default/policyreports";
const definition: Json = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "policyreports.wgpolicyk8s.io" },
  spec: {
    group: "wgpolicyk8s.io",
    scope: "Namespaced",
    names: { kind: "PolicyReport", plural: "policyreports" },
    versions: [{ name: "v1alpha2", served: true }],
  },
};

const row = (result: string, rule = "team"): JsonObject => ({
  source: "kyverno",
  policy: "named",
  rule,
  result,
  message: "m",
  timestamp: { seconds: 1, nanos: 0 },
  properties: { process: "background scan" },
});

/** How a write goes on its way to the API server. */
type Course = (made: ApiCall, cluster: EmbeddedCluster) => Promise<Answer>;

const answered = (status: number | undefined): Course => () =>
  Promise.resolve({ ok: false, status, message: "failed" });
const well: Course = (made, cluster) => cluster.call(made);
const busy = answered(500), unheard = answered(undefined);
/** The API server carries out the write, and the connection breaks before its answer. */
const lost: Course = async (made, cluster) => {
  await cluster.call(made);
  return { ok: false, status: undefined, message: "cut" };
};
/** Another client edits the report before the call arrives. */
const edited: Course = async (made, cluster) => {
  const present = await cluster.call({ method: "GET", path: `${path}/u-1` });
  const body = present.ok && isObject(present.body) ? { ...present.body, results: [] } : {};
  await cluster.call({ method: "PUT", path: `${path}/u-1`, body });
  return await cluster.call(made);
};
const deleted: Course = async (made, cluster) => {
  await cluster.call({ method: "DELETE", path: `${path}/u-1` });
  return await cluster.call(made);
};

/** A store whose writes take these courses, one after the other; after them all is well. */
function storing(courses: readonly Course[]) {
  const cluster = new EmbeddedCluster({
    objects: [definition, { apiVersion: "v1", kind: "Namespace", metadata: { name: "default" } }],
    clock: fixedClock(),
    entropy: countingEntropy(),
  });
  const left = [...courses];
  const calls: string[] = [], pauses: number[] = [];
  const log = keptLog();
  let missed = 0;
  const call = async (made: ApiCall): Promise<Answer> => {
    calls.push(made.method);
    const course = made.method === "GET" ? well : left.shift() ?? well;
    return await course(made, cluster);
  };
  const store = new ReportStore({
    cluster: { call, resource: (...type) => cluster.resource(...type) },
    collections: {
      watch: () => ({ objects: () => [], synced: Promise.resolve(), close: () => Promise.resolve() }),
    },
    log,
    kind: policyReports,
    results: new Set(["pass", "fail"]),
    isLasting: ({ rule }) => rule === "mutates",
    missed: () => missed++,
    wait: (milliseconds, signal) => {
      pauses.push(milliseconds);
      return Promise.resolve(!signal.aborted);
    },
  });
  const stored = async (): Promise<unknown[] | undefined> => {
    const answer = await cluster.call({ method: "GET", path: `${path}/u-1` });
    return answer.ok ? asList(field(answer.body, "results")).map((each) => field(each, "result")) : undefined;
  };
  return { store, cluster, calls, pauses, log, stored, missed: () => missed };
}

const creations: readonly (readonly [what: string, failures: readonly Course[], calls: string])[] = [
  ["500", [busy], "POST POST"],
  ["no answer, and nothing is stored", [unheard], "POST POST"],
  ["no answer, though it is stored", [lost], "POST POST GET"],
  ["several of these", [busy, unheard, lost], "POST POST POST POST GET"],
];
for (const [what, failures, calls] of creations) {
  Deno.test(`a report is stored once after a failed creation: ${what}`, async () => {
    const trial = storing(failures);
    assert.equal(await trial.store.write(pod, [row("pass")]), "stored");
    assert.equal(trial.calls.join(" "), calls);
    assert.deepEqual(await trial.stored(), ["pass"]);
    assert.equal(await trial.store.write(pod, [row("pass")]), "unchanged");
    assert.deepEqual([trial.store.written, trial.missed(), trial.log.lines.length], [1, 0, 0]);
  });
}

const changes: readonly (readonly [what: string, failure: Course, calls: string])[] = [
  ["500", busy, "PUT PUT"],
  ["no answer, though it is stored", lost, "PUT PUT GET"],
  ["a conflict with another client's edit", edited, "PUT GET PUT"],
  ["another client's deletion", deleted, "PUT GET POST"],
];
for (const [what, failure, calls] of changes) {
  Deno.test(`a report is correct after a failed update: ${what}`, async () => {
    const trial = storing([well, failure]);
    await trial.store.write(pod, [row("pass")]);
    trial.calls.length = 0;
    assert.equal(await trial.store.write(pod, [row("fail")]), "stored");
    assert.equal(trial.calls.join(" "), calls);
    assert.deepEqual(await trial.stored(), ["fail"]);
    assert.equal(await trial.store.write(pod, [row("fail")]), "unchanged");
  });
}

for (const [what, failure] of [["500", busy], ["no answer, though it is gone", lost]] as const) {
  Deno.test(`a report is deleted after a failed deletion: ${what}`, async () => {
    const trial = storing([well, failure]);
    await trial.store.write(pod, [row("pass")]);
    assert.equal(await trial.store.remove(pod), "deleted");
    assert.equal(await trial.stored(), undefined);
  });
}

Deno.test("a report that cannot be written for long counts as missed, and the next scan writes it", async () => {
  const trial = storing(Array.from({ length: 6 }, () => busy));
  assert.equal(await trial.store.write(pod, [row("pass")]), "failed");
  assert.deepEqual(trial.pauses, [250, 500, 1_000, 2_000, 4_000]);
  assert.deepEqual([trial.missed(), trial.store.written], [1, 0]);
  assert.equal(await trial.store.write(pod, [row("pass")]), "stored");
  assert.deepEqual(await trial.stored(), ["pass"]);
});

for (const status of [403, 404, 413, 422]) {
  Deno.test(`a report that the API server refuses for good is not retried: ${status}`, async () => {
    const trial = storing([answered(status)]);
    assert.equal(await trial.store.write(pod, [row("pass")]), "refused");
    assert.deepEqual([trial.calls, trial.missed()], [["POST"], 0]);
  });
}

Deno.test("of two results for one object the later one is stored, while the write of the earlier one still fails", async () => {
  const trial = storing([busy, busy]);
  const states = await Promise.all([
    trial.store.write(pod, [row("pass")]),
    trial.store.write(pod, [row("fail")]),
  ]);
  assert.deepEqual(states, ["stored", "stored"]);
  assert.deepEqual(await trial.stored(), ["fail"]);
  const gone = await Promise.all([trial.store.write(pod, [row("pass")]), trial.store.remove(pod)]);
  assert.deepEqual(gone, ["deleted", "deleted"]);
  assert.equal(await trial.stored(), undefined);
});

Deno.test("close() does not wait for an API server that fails", async () => {
  const trial = storing(Array.from({ length: 6 }, () => busy));
  await trial.store.close();
  assert.equal(await trial.store.write(pod, [row("pass")]), "failed");
  assert.deepEqual(trial.calls, ["POST"]);
});

Deno.test("the next scan deletes the reports about objects that no scan saw when a deletion failed", async () => {
  const trial = storing([well, well, well, ...Array.from({ length: 6 }, () => busy)]);
  for (const uid of ["u-1", "u-2", "u-3"]) {
    await trial.store.write({ ...pod, metadata: { ...pod["metadata"] as JsonObject, uid } }, [row("pass")]);
  }
  const names = async (): Promise<unknown[]> => {
    const list = await trial.cluster.call({ method: "GET", path });
    return asList(list.ok ? field(list.body, "items") : undefined).map((each) =>
      dig(each, "metadata", "name")
    );
  };
  await trial.store.keepOnly((uid) => uid === "u-3");
  assert.deepEqual(await names(), ["u-1", "u-2", "u-3"]);
  assert.equal(trial.missed(), 1);
  await trial.store.keepOnly((uid) => uid === "u-3");
  assert.deepEqual(await names(), ["u-3"]);
});
