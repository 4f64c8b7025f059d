/** Stored reports: what is written, and what is not written again. */
import assert from "node:assert/strict";
import { asList, dig, field, isObject, type Json, type JsonObject } from "../../lib/json/mod.ts";
import { openReports, policyReports, type ReportKind } from "../../lib/live/reports/report_kind.ts";
import { ReportStore } from "../../lib/live/reports/report_store.ts";
import type { Answer, ApiCall, ObjectChange } from "../../lib/ports.ts";

const pod: JsonObject = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web", namespace: "default", uid: "u-1", resourceVersion: "1" },
};

const row = (result: string, seconds: number): JsonObject => ({
  source: "kyverno",
  policy: "named",
  rule: "team",
  result,
  message: "m",
  timestamp: { seconds, nanos: 0 },
  properties: { process: "background scan" },
});

/** A store on an API server that keeps one report, and whose watch the test drives. */
function storing(
  kind: ReportKind = policyReports,
  results: readonly string[] = ["pass", "fail"],
  rowBytes?: number,
) {
  const writes: string[] = [];
  const paths: string[] = [];
  let reads = 0;
  let answered: () => void | Promise<void> = () => {};
  let stored: JsonObject | undefined;
  let version = 10;
  let changed: (change: ObjectChange) => void | Promise<void> = () => {};
  const answer = (body: JsonObject | undefined): Answer =>
    body === undefined ? { ok: false, status: 404, message: "not found" } : { ok: true, status: 200, body };
  const call = async ({ method, path, body }: ApiCall): Promise<Answer> => {
    paths.push(`${method} ${path}`);
    if (method !== "GET") writes.push(method);
    else reads++;
    if (method === "DELETE") stored = undefined;
    else if (isObject(body)) {
      const metadata = { ...body["metadata"] as JsonObject, resourceVersion: String(++version) };
      stored = { ...body, metadata };
    }
    const given = answer(stored);
    if (method !== "GET") await answered();
    return given;
  };
  const store = new ReportStore({
    cluster: { call, resource: () => Promise.resolve(undefined) },
    collections: {
      watch(path, follow) {
        if (path === `/apis/${kind.apiVersion}/${kind.namespaced.path}`) changed = follow;
        return { objects: () => [], synced: Promise.resolve(), close: () => Promise.resolve() };
      },
    },
    log: { write: () => {} },
    kind,
    results: new Set(results),
    isLasting: ({ rule }) => rule === "mutates",
    missed: () => {},
    ...(rowBytes !== undefined && { rowBytes }),
  });
  store.start();
  return {
    store,
    writes,
    paths,
    stored: () => stored,
    reads: () => reads,
    /** Has something happen after a write was stored and before its answer comes. */
    beforeAnswers: (task: () => void | Promise<void>) => answered = task,
    /** Shows the report as it is stored, or as somebody else wrote it. */
    show: async (by?: JsonObject, form: "whole" | "metadata" = "whole") => {
      if (by !== undefined && stored !== undefined) {
        const { metadata: given = {}, ...fields } = by, { metadata = {} } = stored;
        const renewed = { ...metadata as JsonObject, ...given as JsonObject };
        stored = { ...stored, ...fields, metadata: { ...renewed, resourceVersion: String(++version) } };
      }
      const { kind, metadata = {} } = stored ?? {};
      const partial: JsonObject = { kind: kind ?? "", metadata };
      await changed({ object: form === "whole" ? stored : partial, former: undefined });
    },
  };
}

Deno.test("requests have turns between stored reports that are read", async () => {
  let turns = 0, changed: (change: ObjectChange) => void | Promise<void> = () => {};
  const store = new ReportStore({
    cluster: { call: () => assert.fail("a report is read"), resource: () => Promise.resolve(undefined) },
    collections: {
      watch(path, follow) {
        if (path.endsWith(`/${policyReports.namespaced.path}`)) changed = follow;
        return { objects: () => [], synced: Promise.resolve(), close: () => Promise.resolve() };
      },
    },
    log: { write: () => {} },
    scheduler: { sliceMilliseconds: 0, pause: () => Promise.resolve(void turns++) },
    kind: policyReports,
    results: new Set(["pass", "fail"]),
    isLasting: () => false,
    missed: () => {},
  });
  store.start();
  for (let count = 0; count < 10; count++) {
    const metadata = {
      name: `r${count}`,
      resourceVersion: "1",
      labels: { "app.kubernetes.io/managed-by": "kyverno" },
    };
    await changed({ object: { metadata, scope: {}, results: [row("pass", 1)] }, former: undefined });
  }
  assert.equal(turns, 10);
  await store.close();
});

Deno.test("a report is written once: another time, another order of keys and the watch's echo change nothing", async () => {
  const { store, writes, show } = storing();
  assert.equal(await store.write(pod, [row("pass", 1)]), "stored");
  await show();
  assert.equal(await store.write(pod, [row("pass", 2)]), "unchanged");
  const { source, ...rest } = row("pass", 3);
  assert.equal(await store.write(pod, [{ ...rest, source: source! }]), "unchanged");
  assert.deepEqual(writes, ["POST"]);
  assert.equal(store.written, 1);
});

const lasting = (seconds: number): JsonObject => ({ ...row("pass", seconds), rule: "mutates" });
const noScan = () => false;

Deno.test("a report about an object that no scan saw is deleted, but for rows that no scan can find", async () => {
  const { store, writes, stored } = storing();
  await store.write(pod, [row("pass", 1), lasting(1)]);
  await store.keepOnly(noScan);
  assert.deepEqual(rulesOf(stored()), ["mutates"]);
  assert.deepEqual(writes, ["POST", "PUT"]);
  await store.keepOnly(noScan);
  assert.deepEqual(writes, ["POST", "PUT"], "a report that has only such rows is left alone");
  await store.write(pod, [row("pass", 1)]);
  await store.keepOnly(noScan);
  assert.equal(stored(), undefined);
});

Deno.test("rows that no scan can find are read when they would take too much memory", async () => {
  for (const [rowBytes, expected] of [[10_000, 0], [10, 1]] as const) {
    const { store, stored, reads } = storing(policyReports, ["pass", "fail"], rowBytes);
    await store.write(pod, [row("pass", 1), lasting(1)]);
    assert.deepEqual((await store.lastingRows(pod, []))?.map(({ rule }) => rule), ["mutates"]);
    assert.equal(reads(), expected);
    await store.keepOnly(noScan);
    assert.deepEqual(rulesOf(stored()), ["mutates"]);
  }
});

Deno.test("the memory for rows is free again when their reports are gone", async () => {
  const { store, reads } = storing(policyReports, ["pass", "fail"], 4_000);
  const second = { ...pod, metadata: { ...pod["metadata"] as JsonObject, uid: "u-2" } };
  const long = { ...lasting(1), message: "m".repeat(2_000) };
  await store.write(pod, [long]);
  await store.remove(pod);
  await store.write(second, [long]);
  await store.lastingRows(second, []);
  assert.equal(reads(), 0);
});

function rulesOf(report: JsonObject | undefined): Json[] {
  return asList(report?.["results"]).map((each) => field(each, "rule") ?? "");
}

Deno.test("a report with other results is replaced", async () => {
  const { store, writes, show } = storing();
  await store.write(pod, [row("pass", 1)]);
  await show();
  assert.equal(await store.write(pod, [row("fail", 1)]), "stored");
  assert.deepEqual(writes, ["POST", "PUT"]);
});

Deno.test("the next scan replaces a report that another client changed", async () => {
  const { store, writes, show } = storing();
  await store.write(pod, [row("fail", 1)]);
  await show();
  await show({ results: [row("pass", 1)] });
  assert.equal(await store.write(pod, [row("fail", 1)]), "stored");
  assert.deepEqual(writes, ["POST", "PUT"]);
});

Deno.test("the echo of a write is not read, before or after the write's answer", async () => {
  const { store, writes, show, reads, beforeAnswers } = storing();
  beforeAnswers(() => show(undefined, "metadata"));
  await store.write(pod, [row("fail", 1)]);
  await show(undefined, "metadata");
  assert.equal(await store.write(pod, [row("fail", 2)]), "unchanged");
  assert.deepEqual([writes, reads()], [["POST"], 0]);
});

const foreign: readonly (readonly [when: string, during: boolean])[] = [["later", false], [
  "during a write",
  true,
]];
for (const [when, during] of foreign) {
  Deno.test(`a report that another client wrote ${when} is read where the watch has only metadata, and replaced`, async () => {
    const { store, writes, show, reads, beforeAnswers } = storing();
    const edit = () => show({ results: [row("pass", 1)] }, "metadata");
    if (during) beforeAnswers(edit);
    await store.write(pod, [row("fail", 1)]);
    beforeAnswers(() => {});
    if (!during) await edit();
    assert.equal(reads(), 1);
    assert.equal(await store.write(pod, [row("fail", 1)]), "stored");
    assert.deepEqual(writes, ["POST", "PUT"]);
  });
}

Deno.test("an existing report with equal rows is not written again", async () => {
  const { store, writes, show } = storing();
  await store.write(pod, [row("pass", 1)]);
  // As the list at the start shows it: with a version that this process did not write.
  await show({});
  assert.equal(await store.write(pod, [row("pass", 5)]), "unchanged");
  assert.deepEqual(writes, ["POST"]);
});

const kinds = [
  [policyReports, "wgpolicyk8s.io/v1alpha2", "PolicyReport", "ClusterPolicyReport"],
  [openReports, "openreports.io/v1alpha1", "Report", "ClusterReport"],
] as const;
const team: JsonObject = { apiVersion: "v1", kind: "Namespace", metadata: { name: "team", uid: "u-2" } };
for (const [kind, apiVersion, namespaced, clusterWide] of kinds) {
  Deno.test(`reports of ${apiVersion} are written, replaced and deleted at its paths alone`, async () => {
    const { store, paths, stored } = storing(kind);
    const group = `/apis/${apiVersion}`, within = `${group}/namespaces/default/${namespaced.toLowerCase()}s`;
    await store.write(pod, [row("pass", 1)]);
    assert.equal(stored()?.["apiVersion"], apiVersion);
    assert.equal(stored()?.["kind"], namespaced);
    assert.deepEqual(dig(stored(), "summary"), { pass: 1, fail: 0, warn: 0, error: 0, skip: 0 });
    assert.equal(dig(stored(), "scope", "name"), "web");
    await store.write(pod, [row("fail", 1)]);
    await store.remove(pod);
    await store.write(team, [row("pass", 1)]);
    assert.equal(stored()?.["kind"], clusterWide);
    assert.deepEqual(paths, [
      `POST ${within}`,
      `PUT ${within}/u-1`,
      `DELETE ${within}/u-1`,
      `POST ${group}/${clusterWide.toLowerCase()}s`,
    ]);
  });
}

Deno.test("reports leave out results that the setting does not include", async () => {
  const { store, stored, writes } = storing(policyReports, ["fail"]);
  await store.write(pod, [row("pass", 1)]);
  assert.deepEqual(writes, []);
  await store.write(pod, [row("pass", 1), { ...row("fail", 1), rule: "other" }]);
  assert.deepEqual(rulesOf(stored()), ["other"]);
  assert.equal(dig(stored(), "summary", "pass"), 0);
});

Deno.test("without rows there is no report", async () => {
  const { store, writes } = storing();
  await store.write(pod, [row("pass", 1)]);
  assert.equal(await store.write(pod, [row("skip", 1)]), "deleted");
  assert.deepEqual(writes, ["POST", "DELETE"]);
});

Deno.test("a report that somebody wrote in another namespace hides none that has its name", async () => {
  for (const form of ["whole", "metadata"] as const) {
    const { store, show, paths } = storing();
    await store.write(pod, [row("fail", 1)]);
    await show({ metadata: { namespace: "other" } }, form);
    assert.equal(await store.write(pod, []), "deleted");
    assert.match(paths.at(-1)!, /^DELETE .*\/namespaces\/default\//);
  }
});
