/** Scans of an API server that fails now and then: in the end each object has its report, and a second scan writes nothing. */
import assert from "node:assert/strict";
import { EmbeddedCluster, LiveCollections, systemClock } from "../../lib/adapters/mod.ts";
import { compile } from "../../lib/engine/mod.ts";
import { asList, field, type Json } from "../../lib/json/mod.ts";
import { policyReports, ReportStore, Scanner } from "../../lib/live/mod.ts";
import type { Answer, ApiCall, Discovery, ServedResource } from "../../lib/ports.ts";
import { parseDocuments } from "../../lib/yaml/mod.ts";
import { countingEntropy } from "../adapters/fakes.ts";
import { clusterPorts } from "../conformance/ports.ts";

const snapshot = compile(
  parseDocuments(
    `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: teams, annotations: {pod-policies.kyverno.io/autogen-controllers: none}}
spec:
  background: true
  rules:
  - name: team
    match: {any: [{resources: {kinds: [Pod]}}]}
    validate: {message: "a team is needed", pattern: {metadata: {labels: {team: "?*"}}}}
`,
    "p.yaml",
  ).documents,
  { dialect: "current" },
);

const pods: ServedResource = {
  group: "",
  version: "v1",
  kind: "Pod",
  plural: "pods",
  namespaced: true,
  verbs: ["list", "watch"],
  subresources: [],
  preferred: true,
};

/** More than two pages. */
const count = 600;

const objects: readonly Json[] = [
  { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } },
  ...["PolicyReport", "ClusterPolicyReport"].map((kind) => ({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${kind.toLowerCase()}s.wgpolicyk8s.io` },
    spec: {
      group: "wgpolicyk8s.io",
      scope: kind === "PolicyReport" ? "Namespaced" : "Cluster",
      names: { kind, plural: `${kind.toLowerCase()}s` },
      versions: [{ name: "v1alpha2", served: true }],
    },
  })),
  ...Array.from({ length: count }, (_, index) => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: `pod-${index}`, namespace: "shop", uid: `u-${index}` },
  })),
];

/** Calls that fail: the n-th of those with this beginning, counted from 1. */
interface Failing {
  readonly call: string;
  readonly times: (nth: number) => boolean;
  readonly status: number | undefined;
  /** Whether the API server carries it out before the connection is cut. */
  readonly carriedOut?: boolean;
}

const reports = "/apis/wgpolicyk8s.io/v1alpha2";
const first = (nth: number): boolean => nth === 1;

/** Scans everything once, as a process that starts does; returns how many reports it wrote. */
async function scan(cluster: EmbeddedCluster, failing: readonly Failing[] = []): Promise<number> {
  const seen = new Map<Failing, number>();
  const call = async (made: ApiCall): Promise<Answer> => {
    const fails = failing.find((each) => {
      if (!`${made.method} ${made.path}`.startsWith(each.call)) return false;
      seen.set(each, (seen.get(each) ?? 0) + 1);
      return each.times(seen.get(each)!);
    });
    if (fails !== undefined && fails.carriedOut !== true) {
      return { ok: false, status: fails.status, message: "failed" };
    }
    const answer = await cluster.call(made);
    return fails === undefined ? answer : { ok: false, status: fails.status, message: "cut" };
  };
  const clock = systemClock(), entropy = countingEntropy();
  const reached = { call, resource: (...type: [string, string]) => cluster.resource(...type) };
  const collections = new LiveCollections({
    cluster: {
      ...reached,
      follow: (_path, signal) =>
        Promise.resolve({
          ok: true,
          // deno-lint-ignore require-yield -- a watch on which nothing happens
          lines: (async function* () {
            if (signal.aborted) return;
            await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
          })(),
        }),
    },
    clock,
    entropy,
  });
  const finished = Promise.withResolvers<void>();
  const log = {
    write: (_level: string, message: string, fields?: { readonly [name: string]: unknown }) => {
      if (message === "background scan finished" && fields?.["objects"] === count) finished.resolve();
    },
  };
  const store = new ReportStore({
    cluster: reached,
    collections,
    log,
    kind: policyReports,
    results: new Set(["pass", "fail"]),
    isLasting: () => false,
    missed: () => scanner.missed(),
    wait: (_milliseconds, signal) => Promise.resolve(!signal.aborted),
  });
  let looks = 0;
  const discovery: Discovery = {
    resources: () =>
      Promise.resolve(
        failing.some((each) => each.call === "discovery" && each.times(looks + 1)) && looks++ >= 0
          ? { ok: false, message: "failed" }
          : { ok: true, resources: [pods] },
      ),
  };
  const scanner: Scanner = new Scanner({
    ports: { ...clusterPorts([]), cluster: reached },
    collections,
    discovery,
    log,
    store,
    resourceFilters: () => "",
    leads: () => true,
    soon: 1,
  });
  scanner.policiesChanged(snapshot);
  await finished.promise;
  await scanner.idle();
  await store.close();
  await scanner.close();
  return store.written;
}

async function storedReports(cluster: EmbeddedCluster): Promise<number> {
  const list = await cluster.call({ method: "GET", path: `${reports}/policyreports` });
  return asList(list.ok ? field(list.body, "items") : undefined).length;
}

const writes = `POST ${reports}/namespaces/shop/policyreports`;
const many = (nth: number): boolean => nth % 5 === 0;
const firstScans: readonly (readonly [what: string, failing: readonly Failing[]])[] = [
  ["nothing", []],
  ["the discovery", [{ call: "discovery", times: first, status: 500 }]],
  ["a later page of the Pods: 410", [{
    call: "GET /api/v1/pods?limit=250&continue",
    times: first,
    status: 410,
  }]],
  ["the first page of the Pods: 500", [{ call: "GET /api/v1/pods", times: first, status: 500 }]],
  ["the list of reports: 500", [{ call: `GET ${reports}/policyreports`, times: first, status: 500 }]],
  ["every fifth write: 500", [{ call: writes, times: many, status: 500 }]],
  ["every fifth write: no answer", [{ call: writes, times: many, status: undefined }]],
  ["every fifth write, whose answer is lost", [{
    call: writes,
    times: many,
    status: undefined,
    carriedOut: true,
  }]],
  ["all writes for a while: some are given up", [{ call: writes, times: (nth) => nth <= 200, status: 503 }]],
];
for (const [what, failing] of firstScans) {
  Deno.test(`the first scan writes each report once, and the second none, despite failures of ${what}`, async () => {
    const cluster = new EmbeddedCluster({ objects, clock: systemClock(), entropy: countingEntropy() });
    assert.equal(await scan(cluster, failing), count);
    assert.equal(await storedReports(cluster), count);
    assert.equal(await scan(cluster), 0);
  });
}

const secondScans: readonly (readonly [what: string, failing: Failing])[] = [
  ["the first page of reports: 500", {
    call: `GET ${reports}/policyreports`,
    times: first,
    status: 500,
  }],
  ["a later page of reports: 500", {
    call: `GET ${reports}/policyreports?limit=250&continue`,
    times: first,
    status: 500,
  }],
  ["a later page of reports: 410", {
    call: `GET ${reports}/policyreports?limit=250&continue`,
    times: first,
    status: 410,
  }],
  ...[410, 500, 502, 504].map((status) =>
    [`a later page of the Pods: ${status}`, {
      call: "GET /api/v1/pods?limit=250&continue",
      times: first,
      status,
    }] as const
  ),
];
for (const [what, failing] of secondScans) {
  Deno.test(`a second scan writes nothing after a temporary failure of ${what}`, async () => {
    const cluster = new EmbeddedCluster({ objects, clock: systemClock(), entropy: countingEntropy() });
    await scan(cluster);
    assert.equal(await scan(cluster, [failing]), 0);
  });
}

Deno.test("a scan that ends before it has listed all objects deletes no report", async () => {
  const cluster = new EmbeddedCluster({ objects, clock: systemClock(), entropy: countingEntropy() });
  await scan(cluster);
  let lists = 0, deletions = 0;
  const call = async (made: ApiCall): Promise<Answer> => {
    if (made.method === "DELETE") deletions++;
    if (!made.path.startsWith("/api/v1/pods")) return await cluster.call(made);
    lists++;
    await new Promise<void>((resolve) => made.signal?.addEventListener("abort", () => resolve()));
    return { ok: false, status: undefined, message: "aborted" };
  };
  const reached = { call, resource: (...type: [string, string]) => cluster.resource(...type) };
  const follow = () => Promise.resolve({ ok: false, status: 403, message: "no watches here" } as const);
  const collections = new LiveCollections({
    cluster: { ...reached, follow },
    clock: systemClock(),
    entropy: countingEntropy(),
  });
  const log = { write: () => {} };
  const shared = { cluster: reached, collections, log };
  const store = new ReportStore({
    ...shared,
    kind: policyReports,
    results: new Set(["pass", "fail"]),
    isLasting: () => false,
    missed: () => {},
  });
  const scanner = new Scanner({
    ...shared,
    ports: { ...clusterPorts([]), cluster: reached },
    discovery: { resources: () => Promise.resolve({ ok: true, resources: [pods] }) },
    store,
    resourceFilters: () => "",
    leads: () => true,
    every: 5,
  });
  scanner.policiesChanged(snapshot);
  for (const until = Date.now() + 10_000; lists < 4 && Date.now() < until;) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await store.close();
  await scanner.close();
  assert.ok(lists >= 4);
  assert.equal(deletions, 0);
});
