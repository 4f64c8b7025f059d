/** Rounds of statuses: some are written at a time, requests have turns, and one policy's follow one another. */
import assert from "node:assert/strict";
import { fixedClock } from "../adapters/fakes.ts";
import { compile } from "../../lib/engine/mod.ts";
import type { JsonObject } from "../../lib/json/mod.ts";
import { notConverted } from "../../lib/live/admission_policies/conversions.ts";
import { objectDocument } from "../../lib/live/object_document.ts";
import { PolicyStatuses } from "../../lib/live/policy_statuses.ts";
import { StatusRounds } from "../../lib/live/status_rounds.ts";
import { policyObjectKinds } from "../../lib/policy/mod.ts";
import type { Cluster } from "../../lib/ports.ts";
import { served } from "./policy_statuses.ts";
import { silent } from "./setting.ts";

const kind = policyObjectKinds.find(({ kind }) => kind === "ClusterPolicy")!;

function stored(name: string): JsonObject {
  return {
    apiVersion: "kyverno.io/v1",
    kind: "ClusterPolicy",
    metadata: { name, uid: name, generation: 1 },
    spec: { background: false, rules: [] },
  };
}

const objects = Array.from({ length: 50 }, (_, index) => ({ kind, object: stored(`p${index}`) }));
const snapshot = compile(objects.map(({ object }) => objectDocument(object)));
const facts = { snapshot, configured: true, generated: [], served };
const accounts = { background: "b", reports: "r", cleanup: "c" };

Deno.test("status: those of many policies are written eight at a time, and requests have turns", async () => {
  const written = new Map<string, number>();
  let running = 0, most = 0, turns = 0;
  const cluster: Cluster = {
    async call({ path }) {
      written.set(path, (written.get(path) ?? 0) + 1);
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve));
      running--;
      return { ok: true, status: 200, body: {} };
    },
    resource: () => Promise.resolve(undefined),
  };
  const scheduler = { sliceMilliseconds: 0, pause: () => Promise.resolve(void turns++) };
  const leads = (): boolean => true;
  const options = { cluster, clock: fixedClock(0), log: silent, leads, accounts, scheduler, retryLater() {} };
  await new PolicyStatuses(options).write(objects, facts);
  assert.equal(most, 8);
  assert.equal(written.size, objects.length);
  assert.deepEqual([...new Set(written.values())], [1]);
  assert.ok(turns >= objects.length, `${turns} turns`);
});

Deno.test("status: a replica that no longer leads writes none", async () => {
  let written = 0;
  const cluster: Cluster = {
    call: () => Promise.resolve((written++, { ok: true, status: 200, body: {} })),
    resource: () => Promise.resolve(undefined),
  };
  const leads = (): boolean => written < 10;
  await new PolicyStatuses({ cluster, clock: fixedClock(0), log: silent, leads, accounts, retryLater() {} })
    .write(objects, facts);
  // Eight are written at a time.
  assert.ok(written < 20, `${written} statuses`);
});

Deno.test("status: a round begins after the running one has ended, and the newest of those that wait", async () => {
  const begun: string[] = [], ends: (() => void)[] = [];
  const all = ["a", "b", "c"].map((message) => ({
    ...facts,
    generated: [notConverted(snapshot.policies[0]!, message)],
  }));
  const rounds = new StatusRounds({
    clock: fixedClock(0),
    after: (_, task) => task(),
    isNewest: () => true,
    write({ generated }) {
      begun.push(generated[0]!.message);
      return new Promise((resolve) => void ends.push(resolve));
    },
  });
  for (const each of all) rounds.add(each, 0);
  assert.deepEqual(begun, ["a"]);
  ends.shift()!();
  await new Promise((resolve) => setTimeout(resolve));
  assert.deepEqual(begun, ["a", "c"]);
  ends.shift()!();
  await new Promise((resolve) => setTimeout(resolve));
  assert.deepEqual(begun, ["a", "c"]);
});
