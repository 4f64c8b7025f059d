/** Background work whose code is loaded after the first request: what comes earlier is done then. */
import assert from "node:assert/strict";
import { LateBackground } from "../../lib/host/late_background.ts";
import type { JsonObject } from "../../lib/json/mod.ts";
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
  const background = new LateBackground({ snapshot: () => snapshot, ports, log: keptLog() });
  return { cluster, snapshot, background };
}

const [team] = documents('{apiVersion: v1, kind: Namespace, metadata: {name: blue, labels: {team: "yes"}}}');

Deno.test("effects of requests before background work is loaded are carried out when it is", async () => {
  const { cluster, snapshot, background } = setUp();
  try {
    background.loaded(snapshot);
    assert.equal(background.add(request(team as JsonObject)), true);
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

Deno.test("background work that was never loaded closes", async () => {
  const { background } = setUp();
  assert.equal(background.leads, false);
  await background.close();
});
