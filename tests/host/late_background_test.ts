/** Background work whose code is loaded after the first request: what comes earlier is done then. */
import assert from "node:assert/strict";
import { LateBackground } from "../../lib/host/late_background.ts";
import { asString, dig, type JsonObject } from "../../lib/json/mod.ts";
import {
  documents,
  keptLog,
  policies,
  portsWith,
  request,
  settings,
  synchronized,
} from "../background/setting.ts";

/** Background work over an embedded cluster, with the policies of {@link synchronized} in force. */
function setUp() {
  const { cluster, ports } = portsWith("{apiVersion: v1, kind: Namespace, metadata: {name: blue}}");
  const snapshot = policies(synchronized);
  const log = keptLog();
  const background = new LateBackground({ snapshot: () => snapshot, ports, log });
  return { cluster, snapshot, background, log };
}

const [team] = documents('{apiVersion: v1, kind: Namespace, metadata: {name: blue, labels: {team: "yes"}}}');

Deno.test("effects of requests before background work is loaded are carried out when it is", async () => {
  const { cluster, snapshot, background } = setUp();
  try {
    background.loaded(snapshot);
    assert.equal(background.add(request(team as JsonObject)), "taken");
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(cluster.writes.length, 0, "nothing is done before");
    await Promise.all([background.begin(), background.begin()]);
    while (await cluster.read(settings) === undefined) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    assert.ok(background.leads, "its cluster belongs to this process");
  } finally {
    await background.close();
  }
});

Deno.test("the Lease names the pod of the replica that leads, and each process of the pod differently", async () => {
  const holders: string[] = [];
  for (let process = 0; process < 2; process++) {
    const { cluster, ports } = portsWith("{apiVersion: v1, kind: Namespace, metadata: {name: postern}}");
    const log = keptLog();
    const lease = { namespace: "postern", name: "postern", replica: "postern-5d4f-x7kq2" };
    const background = new LateBackground({ snapshot: () => undefined, ports, log, lease });
    try {
      background.joinElection();
      await background.begin();
      while (!background.leads) await new Promise((resolve) => setTimeout(resolve, 5));
      const path = "/apis/coordination.k8s.io/v1/namespaces/postern/leases/postern";
      holders.push(asString(dig(await cluster.read(path) ?? null, "spec", "holderIdentity")) ?? "");
    } finally {
      await background.close();
    }
  }
  for (const holder of holders) assert.match(holder, /^postern-5d4f-x7kq2_[0-9a-f-]{36}$/);
  assert.notEqual(holders[0], holders[1]);
});

Deno.test("background work that was never loaded closes", async () => {
  const { background } = setUp();
  assert.equal(background.leads, false);
  await background.close();
});

Deno.test("requests that wait for the code of background work have a bound in bytes", async () => {
  const { snapshot, background, log } = setUp();
  try {
    background.loaded(snapshot);
    const large = { ...team as JsonObject, data: { text: "x".repeat(1_000_000) } };
    const intakes = Array.from({ length: 100 }, () => background.add(request(large)));
    const taken = intakes.filter((intake) => intake === "taken").length;
    assert.ok(taken > 0 && taken < 20, `${taken} requests of 1 MB wait`);
    assert.equal(intakes.at(-1), "no room");
    await background.begin();
    assert.equal(log.lines.filter((line) => line.startsWith("error effects refused")).length, 1);
  } finally {
    await background.close();
  }
});
