/**
 * Scans of an API server that fails now and then: in the end each object has its report, and a second scan writes
 * nothing.
 */
import assert from "node:assert/strict";
import { EmbeddedCluster } from "../../lib/embedded/mod.ts";
import { LiveCollections, systemClock } from "../../lib/adapters/mod.ts";
import { compile, type Snapshot } from "../../lib/engine/mod.ts";
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

/** The reports that a scan wrote, and the evaluations that it counted. */
interface Scanned {
  readonly written: number;
  readonly evaluations: number;
}

/** Scans everything once, as a process that starts does. */
async function scan(cluster: EmbeddedCluster, failing: readonly Failing[] = []): Promise<Scanned> {
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
  return { written: store.written, evaluations: scanner.evaluations };
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
    assert.equal((await scan(cluster, failing)).written, count);
    assert.equal(await storedReports(cluster), count);
    assert.equal((await scan(cluster)).written, 0);
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
    assert.equal((await scan(cluster, [failing])).written, 0);
  });
}

/** Scans of a cluster whose policies the test changes. */
class Scans {
  readonly lists: string[] = [];
  readonly finished: number[] = [];
  readonly scanner: Scanner;
  readonly store: ReportStore;
  deletions = 0;

  /** `call` answers before the cluster does. */
  constructor(cluster: EmbeddedCluster, called: (made: ApiCall) => Promise<Answer | undefined> | undefined) {
    const call = async (made: ApiCall): Promise<Answer> => {
      if (made.method === "DELETE") this.deletions++;
      if (made.path.includes("/pods?limit") && !made.path.includes("continue")) this.lists.push(made.path);
      return await called(made) ?? await cluster.call(made);
    };
    const reached = { call, resource: (...type: [string, string]) => cluster.resource(...type) };
    const follow = (_path: string, signal: AbortSignal) =>
      Promise.resolve({ ok: true, lines: silence(signal) } as const);
    const collections = new LiveCollections({
      cluster: { ...reached, follow },
      clock: systemClock(),
      entropy: countingEntropy(),
    });
    const log = {
      write: (_level: string, message: string, fields?: { readonly [name: string]: unknown }) => {
        if (message === "background scan finished") this.finished.push(fields?.["objects"] as number);
      },
    };
    const shared = { cluster: reached, collections, log };
    this.store = new ReportStore({
      ...shared,
      kind: policyReports,
      results: new Set(["pass", "fail"]),
      isLasting: () => false,
      missed: () => {},
    });
    this.scanner = new Scanner({
      ...shared,
      ports: { ...clusterPorts([]), cluster: reached },
      discovery: { resources: () => Promise.resolve({ ok: true, resources: [pods] }) },
      store: this.store,
      resourceFilters: () => "",
      leads: () => true,
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.store.close();
    await this.scanner.close();
  }
}

/** A watch on which nothing happens. */
// deno-lint-ignore require-yield -- nothing happens
async function* silence(signal: AbortSignal): AsyncGenerator<string> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
}

const rule = (message: string, kind = "Pod"): string => `
  - name: team
    match: {any: [{resources: {kinds: [${kind}]}}]}
    validate: {message: "${message}", pattern: {metadata: {labels: {team: "?*"}}}}`;

const noAutogen = "{pod-policies.kyverno.io/autogen-controllers: none}";

/** The Policy of a tenant, about a kind. */
const tenantsText = (version: number, kind?: string): string => `
apiVersion: kyverno.io/v1
kind: Policy
metadata: {name: tenants, namespace: tenant, annotations: ${noAutogen}}
spec:
  background: true
  rules:${rule(`tenant ${version}`, kind)}
`;

function compiled(text: string): Snapshot {
  return compile(parseDocuments(text, "p.yaml").documents, { dialect: "current" });
}

function tenantsPolicy(version: number, kind: string): Snapshot {
  return compiled(tenantsText(version, kind));
}

/** The policy of all tests, in another version, with a Policy of a tenant in another version. */
function policiesOf(versions: { readonly cluster?: number; readonly tenant?: number }): Snapshot {
  return compiled(`
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: teams, annotations: ${noAutogen}}
spec:
  background: true
  rules:${rule(`cluster ${versions.cluster ?? 0}`)}
---${tenantsText(versions.tenant ?? 0)}`);
}

const tenantPod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "one", namespace: "tenant", uid: "one" },
};

function clusterWithTenant(): EmbeddedCluster {
  return new EmbeddedCluster({
    objects: [...objects, { apiVersion: "v1", kind: "Namespace", metadata: { name: "tenant" } }, tenantPod],
    clock: systemClock(),
    entropy: countingEntropy(),
  });
}

async function messagesOf(cluster: EmbeddedCluster, namespace: string, uid: string): Promise<unknown[]> {
  const path = `${reports}/namespaces/${namespace}/policyreports/${uid}`;
  const answer = await cluster.call({ method: "GET", path });
  return asList(answer.ok ? field(answer.body, "results") : undefined).map((row) =>
    /(cluster|tenant) \d+/.exec(String(field(row, "message")))?.[0]
  ).sort();
}

Deno.test("a Policy that changes all the time does not begin the scan of other namespaces again", async () => {
  const cluster = clusterWithTenant();
  let version = 0;
  await using scans = new Scans(cluster, ({ path }) => {
    // A change with each page of Pods and each report.
    if (path.includes("/pods?") || path.includes("/policyreports")) {
      if (version < 300) scans.scanner.policiesChanged(policiesOf({ tenant: ++version }));
    }
    return undefined;
  });
  scans.scanner.policiesChanged(policiesOf({ tenant: version }));
  await scans.scanner.idle();
  assert.deepEqual(scans.lists.filter((path) => path.startsWith("/api/v1/pods?")).length, 1);
  assert.equal(scans.finished[0], count + 1);
  assert.equal(await storedReports(cluster), count + 1);
  assert.deepEqual(await messagesOf(cluster, "tenant", "one"), ["cluster 0", `tenant ${version}`]);
});

Deno.test("a Policy that turns its kinds off and on lists the cluster's objects once", async () => {
  const cluster = clusterWithTenant();
  await using scans = new Scans(cluster, () => undefined);
  for (let version = 1; version <= 5; version++) {
    for (const [kind, rows] of [["Pod", [`tenant ${version}`]], ["Service", []]] as const) {
      scans.scanner.policiesChanged(tenantsPolicy(version, kind));
      await scans.scanner.idle();
      assert.deepEqual(await messagesOf(cluster, "tenant", "one"), rows, `about ${kind}`);
    }
  }
  assert.equal(scans.lists.filter((path) => path.startsWith("/api/v1/pods?")).length, 1);
});

Deno.test("a changed Policy is evaluated for the objects of its namespace, and for no others", async () => {
  const cluster = clusterWithTenant();
  await using scans = new Scans(cluster, () => undefined);
  scans.scanner.policiesChanged(policiesOf({}));
  await scans.scanner.idle();
  scans.scanner.policiesChanged(policiesOf({ tenant: 1 }));
  await scans.scanner.idle();
  assert.deepEqual(await messagesOf(cluster, "tenant", "one"), ["cluster 0", "tenant 1"]);
  scans.scanner.policiesChanged(snapshot);
  await scans.scanner.idle();
  assert.deepEqual((await messagesOf(cluster, "tenant", "one")).length, 1, "its row is gone with the Policy");
});

Deno.test("a scan ends before another begins for the policies that changed meanwhile", async () => {
  const cluster = clusterWithTenant();
  let version = 0;
  await using scans = new Scans(cluster, ({ path }) => {
    if (path.startsWith("/api/v1/pods?")) {
      scans.scanner.policiesChanged(policiesOf({ cluster: version < 4 ? ++version : version }));
    }
    return undefined;
  });
  scans.scanner.policiesChanged(policiesOf({}));
  for (const until = Date.now() + 10_000; scans.finished.length < 3 && Date.now() < until;) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    await scans.scanner.idle();
  }
  // Three pages each: four changes need two scans and one more.
  assert.deepEqual(scans.finished.slice(0, 3), [count + 1, count + 1, count + 1]);
  assert.deepEqual(await messagesOf(cluster, "shop", "u-0"), ["cluster 4"]);
});

Deno.test("objects of a kind that is defined later are scanned soon, and their reports go with the definition", async () => {
  const cluster = new EmbeddedCluster({ objects, clock: systemClock(), entropy: countingEntropy() });
  const follow = () => Promise.resolve({ ok: false, status: 403, message: "no watches here" } as const);
  const reached = {
    call: (made: ApiCall) => cluster.call(made),
    resource: (...type: [string, string]) => cluster.resource(...type),
  };
  const collections = new LiveCollections({
    cluster: { ...reached, follow },
    clock: systemClock(),
    entropy: countingEntropy(),
  });
  const shared = { cluster: reached, collections, log: { write: () => {} } };
  const store = new ReportStore({
    ...shared,
    kind: policyReports,
    results: new Set(["pass", "fail"]),
    isLasting: () => false,
    missed: () => {},
  });
  let served: readonly ServedResource[] = [];
  const scanner = new Scanner({
    ...shared,
    ports: { ...clusterPorts([]), cluster: reached },
    discovery: { resources: () => Promise.resolve({ ok: true, resources: served }) },
    store,
    resourceFilters: () => "",
    leads: () => true,
  });
  scanner.policiesChanged(snapshot);
  await scanner.idle();
  assert.equal(await storedReports(cluster), 0);
  served = [pods];
  scanner.kindsChanged();
  await scanner.idle();
  assert.equal(await storedReports(cluster), count);
  served = [];
  scanner.kindsChanged();
  await scanner.idle();
  assert.equal(await storedReports(cluster), 0);
  await store.close();
  await scanner.close();
});

Deno.test("a scan that ends before it has listed all objects deletes no report", async () => {
  const cluster = new EmbeddedCluster({ objects, clock: systemClock(), entropy: countingEntropy() });
  await scan(cluster);
  const listing = Promise.withResolvers<void>();
  {
    await using scans = new Scans(cluster, ({ path, signal }) => {
      if (!path.startsWith("/api/v1/pods")) return undefined;
      listing.resolve();
      return new Promise((resolve) =>
        signal?.addEventListener("abort", () => resolve({ ok: false, status: undefined, message: "aborted" }))
      );
    });
    scans.scanner.policiesChanged(snapshot);
    await listing.promise;
    scans.scanner.policiesChanged(policiesOf({ cluster: 1 }));
    await new Promise((resolve) => setTimeout(resolve, 50));
    await scans.scanner.close();
    assert.equal(scans.deletions, 0);
  }
  assert.equal(await storedReports(cluster), count);
});

Deno.test("a scan counts each evaluation, whether it writes or not: garbage of the start waits for its end", async () => {
  const cluster = new EmbeddedCluster({ objects, clock: systemClock(), entropy: countingEntropy() });
  assert.deepEqual(await scan(cluster), { written: count, evaluations: count });
  assert.deepEqual(await scan(cluster), { written: 0, evaluations: count });
});
