/** Scans follow policies and definitions that change while they run. */
import assert from "node:assert/strict";
import { EmbeddedCluster } from "../../lib/embedded/mod.ts";
import { LiveCollections, systemClock } from "../../lib/adapters/mod.ts";
import type { Snapshot } from "../../lib/engine/mod.ts";
import { asList, field } from "../../lib/json/mod.ts";
import { policyReports, ReportStore, Scanner } from "../../lib/live/mod.ts";
import type { ApiCall, ServedResource } from "../../lib/ports.ts";
import { countingEntropy } from "../adapters/fakes.ts";
import { clusterPorts } from "../conformance/ports.ts";
import {
  compiled,
  count,
  objects,
  pods,
  policiesOf,
  reports,
  Scans,
  snapshot,
  storedReports,
  tenantsText,
} from "./scan_setting.ts";

function tenantsPolicy(version: number, kind: string): Snapshot {
  return compiled(tenantsText(version, kind));
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
