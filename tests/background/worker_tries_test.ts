/** The worker tries again what failed, and reports what it gives up. */
import assert from "node:assert/strict";
import { dig } from "../../lib/json/mod.ts";
import type { EffectsResult } from "../../lib/background/mod.ts";
import { pause } from "../../lib/pause.ts";
import { request } from "./setting.ts";
import { pullSecret, quota, quotaPath, secrets, setUp, team, touch, trigger } from "./worker_setting.ts";

Deno.test("a worker that ends waits for requests that were hardly tried, and reports those that it drops", async () => {
  for (const waits of [true, false]) {
    const refused: number[] = [];
    const { cluster, worker } = setUp(quota, { refused: (_, waited) => void refused.push(waited) });
    worker.add(request(team));
    while (waits && worker.longestWait !== undefined) await pause(1);
    await worker.close();
    assert.equal(await cluster.read(quotaPath) !== undefined, waits);
    assert.equal(refused.length, waits ? 0 : 1);
  }
});

Deno.test("a worker that ends does not wait for requests that fail again and again, and has reported them", async () => {
  const refused: number[] = [], states: string[] = [];
  const { worker } = setUp(pullSecret, {
    refused: (_, waited) => void refused.push(waited),
    effectsTried: ({ state }) => (states.push(state), true),
    wait: (milliseconds) => milliseconds > 300 ? new Promise(() => {}) : Promise.resolve(),
  });
  worker.add(request(team));
  while (worker.longestWait !== undefined) await pause(1);
  await worker.close();
  assert.deepEqual([states, refused], [["failing"], []]);
});

const unkept = [
  ["whose trigger is not stored yet", quota, {
    objects: "{apiVersion: v1, kind: Namespace, metadata: {name: a}}",
  }],
  ["whose effects fail without an UpdateRequest", pullSecret, {}],
] as const;

for (const [what, policy, objects] of unkept) {
  Deno.test(`a worker that ends reports requests ${what}, however often they were tried`, async () => {
    const refused: number[] = [];
    const long = Promise.withResolvers<void>();
    const { worker } = setUp(policy, {
      ...objects,
      triggers: "as-stored",
      refused: (_, waited) => void refused.push(waited),
      effectsTried: () => false,
      wait: (milliseconds) =>
        milliseconds > 1_000 ? (long.resolve(), new Promise(() => {})) : Promise.resolve(),
    });
    worker.add(request(team));
    await long.promise;
    assert.notEqual(worker.longestWait, undefined);
    await worker.close();
    assert.equal(refused.length, 1);
  });
}

Deno.test("the worker retries with growing pauses until a source exists", async () => {
  const { cluster, worker, waits } = setUp(pullSecret, {
    firstDelay: 100,
    wait: async (milliseconds) => {
      waits.push(milliseconds);
      if (waits.length === 3) {
        const body = { apiVersion: "v1", kind: "Secret", metadata: { name: "regcred" }, data: { a: "Yg==" } };
        await cluster.inner.call({ method: "POST", path: "/api/v1/namespaces/default/secrets", body });
      }
    },
  });
  worker.add(request(team));
  await worker.drain();
  assert.deepEqual(waits, [100, 200, 400]);
  const copy = await cluster.read("/api/v1/namespaces/team/secrets/regcred");
  assert.deepEqual(copy?.["data"], { a: "Yg==" });
  assert.equal(dig(copy, "metadata", "labels", "generate.kyverno.io/source-namespace"), "default");
  const source = await cluster.read("/api/v1/namespaces/default/secrets/regcred");
  assert.equal(dig(source, "metadata", "labels", "generate.kyverno.io/clone-source"), "");
});

Deno.test("the worker gives up after the last retry, and reports it", async () => {
  const { worker, waits, log } = setUp(pullSecret, { attempts: 3 });
  worker.add(request(team));
  await worker.drain();
  assert.equal(waits.length, 2);
  assert.ok(log.lines.includes("error effects given up"));
});

const named = touch.replace('"t*"', "{NAME}");

Deno.test("the worker looks for a missing target five times, and reports no failure", async () => {
  const reported: EffectsResult[] = [];
  const { worker, waits, log } = setUp(named.replace("{NAME}", "t3"), {
    objects: secrets,
    firstDelay: 100,
    effectsTried: (effects) => void reported.push(effects),
  });
  worker.add(request(trigger));
  await worker.drain();
  assert.deepEqual(waits, [100, 200, 400, 800]);
  assert.deepEqual(log.lines.filter((line) => !line.startsWith("debug")), []);
  assert.deepEqual(
    reported.map(({ state, failures }) => [state, failures.map(({ nothingToDo }) => nothingToDo)]),
    [
      ["failing", ["targetMissing"]],
      ["given up", ["targetMissing"]],
    ],
  );
});

Deno.test("a target that is created shortly after its trigger is changed", async () => {
  const { cluster, worker, waits } = setUp(named.replace("{NAME}", "t3"), {
    wait: async () => {
      waits.push(0);
      const body = { apiVersion: "v1", kind: "Secret", metadata: { name: "t3" }, data: {} };
      const path = "/api/v1/namespaces/default/secrets";
      if (waits.length === 2) await cluster.inner.call({ method: "POST", path, body });
    },
  });
  worker.add(request(trigger));
  await worker.drain();
  const secret = await cluster.read("/api/v1/namespaces/default/secrets/t3");
  assert.deepEqual(secret?.["data"], { seen: "eA==" });
});

Deno.test("a target that cannot be read is retried like other failures", async () => {
  const { cluster, worker, waits } = setUp(named.replace("{NAME}", "t1"), { objects: secrets });
  cluster.interfere = ({ path }) =>
    path.endsWith("/t1") ? { ok: false, status: 503, message: "not now" } : undefined;
  worker.add(request(trigger));
  await worker.drain();
  assert.equal(waits.length, 9);
});

Deno.test("the worker does not retry a write that the API server refuses for good", async () => {
  const { cluster, worker, waits, log } = setUp(quota);
  cluster.interfere = ({ method }) =>
    method === "POST" ? { ok: false, status: 422, message: "invalid" } : undefined;
  worker.add(request(team));
  await worker.drain();
  assert.deepEqual(waits, []);
  assert.ok(log.lines.includes("error effects given up"));
});

Deno.test("an object that another client created first counts as made", async () => {
  const { cluster, worker, waits } = setUp(quota);
  cluster.interfere = ({ method }) =>
    method === "POST" ? { ok: false, status: 409, message: "already exists" } : undefined;
  worker.add(request(team));
  await worker.drain();
  assert.deepEqual(waits, []);
});

Deno.test("the worker changes all targets, and retries only those with a conflict", async () => {
  const { cluster, worker } = setUp(touch, { objects: secrets });
  let conflicts = 1;
  cluster.interfere = ({ method, path }) =>
    method === "PUT" && path.endsWith("/t2") && conflicts-- > 0
      ? { ok: false, status: 409, message: "modified" }
      : undefined;
  worker.add(request(trigger));
  await worker.drain();
  assert.deepEqual(cluster.writes.map((write) => write.split("/").at(-1)), ["t1", "t2"]);
  for (const name of ["t1", "t2"]) {
    const secret = await cluster.read(`/api/v1/namespaces/default/secrets/${name}`);
    assert.deepEqual(secret?.["data"], { a: "eA==", seen: "eA==" });
  }
});

Deno.test("close ends the waits for further tries", async () => {
  const waiting = Promise.withResolvers<AbortSignal>();
  const { worker } = setUp(pullSecret, {
    wait(_, signal) {
      waiting.resolve(signal);
      return new Promise(() => {});
    },
  });
  worker.add(request(team));
  const signal = await waiting.promise;
  assert.equal(signal.aborted, false);
  await worker.close();
  assert.equal(signal.aborted, true);
});

Deno.test("the worker reports that a request's effects fail, and later that they are done", async () => {
  const reported: EffectsResult[] = [];
  const { cluster, worker } = setUp(quota, { effectsTried: (effects) => void reported.push(effects) });
  let refusals = 4;
  cluster.interfere = ({ method }) =>
    method === "POST" && refusals-- > 0 ? { ok: false, status: 503, message: "not now" } : undefined;
  worker.add(request(team));
  await worker.drain();
  assert.deepEqual(reported.map(({ state, failures }) => [state, failures[0]?.message]), [
    ["failing", "not now"],
    ["done", undefined],
  ]);
  assert.deepEqual(reported[0]?.failures[0]?.by, { policy: "quotas", rule: "quota" });
  assert.deepEqual(reported[1]?.carried.map(({ object }) => dig(object, "kind")), ["ResourceQuota"]);
});
