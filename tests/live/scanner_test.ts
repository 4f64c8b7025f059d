/** A scan reports every object, though calls fail meanwhile. */
import assert from "node:assert/strict";
import { EmbeddedCluster } from "../../lib/embedded/mod.ts";
import { LiveCollections, systemClock } from "../../lib/adapters/mod.ts";
import { policyReports, ReportStore, Scanner } from "../../lib/live/mod.ts";
import type { Answer, ApiCall, Discovery } from "../../lib/ports.ts";
import { countingEntropy } from "../adapters/fakes.ts";
import { clusterPorts } from "../conformance/ports.ts";
import { count, objects, pods, policiesOf, reports, Scans, snapshot, storedReports } from "./scan_setting.ts";

/** Calls that fail: the n-th of those with this beginning, counted from 1. */
interface Failing {
  readonly call: string;
  readonly times: (nth: number) => boolean;
  readonly status: number | undefined;
  /** Whether the API server carries it out before the connection is cut. */
  readonly carriedOut?: boolean;
}

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
