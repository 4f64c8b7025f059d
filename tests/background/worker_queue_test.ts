/** The worker's queue is bounded, and no namespace blocks the others. */
import assert from "node:assert/strict";
import { heapSize } from "../../lib/json/mod.ts";
import { BackgroundWorker } from "../../lib/background/mod.ts";
import { keptLog, policies, portsWith, request } from "./setting.ts";
import { pullSecret, quota, secrets, setUp, team, teamNamespace, touch, trigger } from "./worker_setting.ts";

Deno.test("the longest wait is that of requests that wait, and each request that is taken is reported", async () => {
  let now = 1_000, taken = 0;
  const { ports } = portsWith(teamNamespace);
  const snapshot = policies(quota);
  const clock = { now: () => now };
  const worker = new BackgroundWorker({
    snapshot: () => snapshot,
    ports: { ...ports, clock },
    log: keptLog(),
    taken: () => void taken++,
  });
  assert.equal(worker.longestWait, undefined);
  worker.add(request(team));
  worker.add(request(team, { dryRun: true }));
  now += 300;
  assert.deepEqual([worker.longestWait, taken], [300, 1]);
  await worker.drain();
  assert.equal(worker.longestWait, undefined);
  await worker.close();
});

Deno.test("the worker refuses and reports requests beyond its queue, and ignores those that no rule matches", async () => {
  const refused: string[] = [];
  const { cluster, worker, log } = setUp(quota, {
    maxBytes: 1.5 * heapSize(request(team).variable),
    refused: ({ name }) => refused.push(name),
  });
  assert.equal(worker.add(request(trigger)), "no work");
  assert.equal(worker.add(request(team)), "taken");
  assert.equal(worker.add(request(team)), "no room");
  assert.deepEqual(refused, ["team"]);
  assert.ok(log.lines.includes("error effects refused: too many requests wait"));
  await worker.drain();
  assert.equal(cluster.writes.length, 1);
});

Deno.test("requests of one namespace that wait for a retry do not block those of others", async () => {
  let go = (): void => {};
  const gate = new Promise<void>((resolve) => go = resolve);
  const { cluster, worker } = setUp(`${pullSecret}---${touch}`, {
    objects: `${teamNamespace}---${secrets}`,
    maxBytes: 10_000,
    wait: () => gate,
    attempts: 3,
  });
  // The source of the clone never comes: each of these waits for a long time, and they fill the queue.
  for (let count = 0; count < 200; count++) worker.add(request(team));
  while (cluster.writes.length === 0 && worker.waiting > 0) {
    worker.add(request(trigger));
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  assert.equal(cluster.writes.length > 0, true);
  go();
  await worker.drain();
});

Deno.test("a hanging look-up delays only its namespace", async () => {
  const { cluster, worker } = setUp(`${pullSecret}---${touch}`, { objects: `${teamNamespace}---${secrets}` });
  let answer = (): void => {};
  const hanging = new Promise<void>((resolve) => answer = resolve);
  const call = cluster.call.bind(cluster);
  cluster.call = async (apiCall) => {
    if (apiCall.path.endsWith("/secrets/regcred")) await hanging;
    return await call(apiCall);
  };
  worker.add(request(team));
  worker.add(request(trigger));
  while (cluster.writes.length < 2) await new Promise((resolve) => setTimeout(resolve, 1));
  answer();
  await worker.close();
});

Deno.test("a closed worker accepts no requests", async () => {
  const { cluster, worker } = setUp(quota);
  worker.add(request(team));
  await worker.close();
  assert.equal(worker.add(request(team)), "no room");
  assert.deepEqual(cluster.writes, []);
});
