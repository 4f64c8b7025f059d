/** The background scan evaluates one object after the other, and Postern answers requests in between. */
import assert from "node:assert/strict";
import type { JsonObject } from "../../lib/json/mod.ts";
import { ObjectScans } from "../../lib/live/reports/object_scans.ts";
import { scannedPolicies } from "../../lib/live/mod.ts";
import type { ReportStore } from "../../lib/live/mod.ts";
import { clusterPorts } from "../conformance/ports.ts";
import { silent } from "./setting.ts";
import { snapshot } from "./scan_setting.ts";

const count = 20;

/** No policy is about it, so no rule pauses. */
function service(index: number): JsonObject {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: `s${index}`, namespace: "shop", uid: `u${index}` },
  };
}

/** All reports are as they should be. */
const store = {
  lastingRows: () => Promise.resolve([]),
  write: () => Promise.resolve("unchanged"),
} as unknown as ReportStore;

Deno.test("requests have turns between scanned objects whose reports stay", async () => {
  let turns = 0;
  const scheduler = { sliceMilliseconds: 0, pause: () => Promise.resolve(void turns++) };
  const scans = new ObjectScans({ ports: { ...clusterPorts([]), scheduler }, log: silent, store });
  scans.policies = scannedPolicies(snapshot);
  const scanned = new Set<string>();
  for (let index = 0; index < count; index++) {
    await scans.changed({ object: service(index), former: undefined }, scanned);
  }
  await scans.written();
  assert.equal(scanned.size, count);
  assert.ok(turns >= count, `${turns} turns`);
});
