/** The bounds of the global context: its memory, its steps, its calls, and how long requests wait for it. */
import assert from "node:assert/strict";
import type { Json, JsonObject } from "../../lib/json/mod.ts";
import type { Answer, HttpCall } from "../../lib/ports.ts";
import { entriesTrial as trial } from "./entries_trial.ts";

const entry = (name: string, spec: Json): JsonObject => ({
  kind: "GlobalContextEntry",
  metadata: { name },
  spec,
});
const call = (more: JsonObject = {}) => ({ apiCall: { service: { url: "http://x" }, ...more } });
const resource = {
  kubernetesResource: { group: "apps", version: "v1", resource: "deployments", namespace: "a" },
};
const path = "/apis/apps/v1/namespaces/a/deployments";
const counted = { ...resource, projections: [{ name: "count", jmesPath: "length(@)" }] };
const count = { name: "count", jmesPath: "length(@)" };
const text = (length: number): Answer => ({ ok: true, status: 200, body: "x".repeat(length) });
const later = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

Deno.test("watched entries: the answers of all calls have a bound together, beyond which an entry is an error", async () => {
  const { entries, define, budget } = trial([], { budget: 10_000, call: () => Promise.resolve(text(2_000)) });
  define(...["a", "b", "c"].map((name) => entry(name, call())));
  const answers = await Promise.all(["a", "b", "c"].map((name) => entries.entry(name)));
  assert.deepEqual(answers.map(({ ok }) => ok), [true, true, false]);
  assert.match(answers[2]!.ok ? "" : answers[2]!.message, /takes 2016 bytes of memory, and there is no room/);
  define();
  assert.ok(budget.fits("answers of entries", 5_000), "entries that are gone take no memory");
});

Deno.test("watched entries: projections of objects count, and objects once", async () => {
  const { entries, define, budget } = trial([], { budget: 1_000 });
  define(entry("deps", { ...resource, projections: Array<Json>(9).fill(count) }));
  assert.ok((await entries.entry("deps.count")).ok);
  assert.equal(budget.fits("answers of entries", 493), false);
  assert.equal(budget.fits("answers of entries", 492), true);
  entries.close();
});

Deno.test("watched entries: until an answer is kept, it counts among the answers of evaluations", async () => {
  const lifetimes: NonNullable<HttpCall["lifetime"]>[] = [];
  let ended = 0;
  const { entries, define } = trial([], {
    call: ({ lifetime }) => {
      lifetimes.push(lifetime!);
      lifetime!.whenEnded(() => ended++);
      return Promise.resolve(text(9));
    },
  });
  define(entry("a", call()), entry("b", call()));
  await Promise.all([entries.entry("a"), entries.entry("b")]);
  assert.deepEqual([new Set(lifetimes).size, ended], [2, 2]);
  entries.close();
});

Deno.test("watched entries: the objects are listed once for each state, however often they are read", async () => {
  const { entries, watched, define } = trial();
  define(entry("deps", counted));
  for (let read = 0; read < 5; read++) assert.ok((await entries.entry("deps")).ok);
  assert.equal(watched.get(path)!.lists, 1);
  watched.get(path)!.changed();
  for (let read = 0; read < 5; read++) assert.ok((await entries.entry("deps.count")).ok);
  assert.equal(watched.get(path)!.lists, 2);
  entries.close();
});

Deno.test("watched entries: all projections of an entry have one budget of steps", async () => {
  const { entries, define, steps } = trial();
  define(entry("deps", { ...resource, projections: [count, count, count] }));
  await entries.entry("deps");
  assert.deepEqual(steps, [4_000_000, 2_500_000, 1_000_000]);
  entries.close();
});

Deno.test("watched entries: projections that take long are not computed for each event", async () => {
  const setting = trial(), { entries, watched, define, clock, projections } = setting;
  const slow = { ...resource, projections: [count] };
  define(entry("deps", slow));
  await entries.entry("deps");
  const objects = watched.get(path)!;
  // The list takes 20 ms of the clock.
  const listed = objects.objects;
  Object.defineProperty(objects, "objects", {
    get: () => {
      clock.advance(20);
      return listed;
    },
  });
  for (let event = 0; event < 50; event++) {
    objects.changed();
    await entries.entry("deps");
    clock.advance(10);
  }
  assert.ok(projections() <= 5, String(projections()));
  clock.advance(200);
  const before = projections();
  await entries.entry("deps");
  assert.equal(projections(), before + 1, "the last state is read after a while");
  entries.close();
});

Deno.test("watched entries: requests wait for the first load of an entry for a while only", async () => {
  const { entries, define, reported } = trial([], { firstWait: 20, call: () => new Promise(() => {}) });
  define(entry("deps", call()));
  const notReady = {
    ok: false,
    status: undefined,
    message: "the entry is not ready: its first load has not ended",
  };
  assert.deepEqual(await entries.entry("deps"), notReady);
  const read = entries.entry("deps");
  assert.deepEqual(await Promise.race([read, later(10).then(() => "waits")]), notReady);
  assert.deepEqual(reported.map(({ problem }) => problem), [notReady.message]);
  entries.close();
});

Deno.test("watched entries: objects that were not listed yet are no empty list", async () => {
  const synced = Promise.withResolvers<void>();
  const { entries, define } = trial([], { firstWait: 20, synced: synced.promise });
  define(entry("deps", counted));
  for (const name of ["deps", "deps.count"]) {
    const answer = await entries.entry(name);
    assert.match(answer.ok ? "" : answer.message, /not ready/);
  }
  synced.resolve();
  await later(1);
  assert.deepEqual(await entries.entry("deps.count"), { ok: true, status: 200, body: 0 });
  entries.close();
});

Deno.test("watched entries: a definition that changes ends the tries of the former one", async () => {
  const signals: AbortSignal[] = [];
  const { entries, define } = trial([], {
    firstWait: 1,
    call: ({ signal }) => {
      signals.push(signal!);
      return Promise.resolve({ ok: false, status: 503, message: "busy" });
    },
  });
  define(entry("deps", call({ retryLimit: 10 })));
  await later(1);
  define();
  const made = signals.length;
  assert.ok(signals[0]!.aborted);
  await later(300);
  assert.equal(signals.length, made);
  entries.close();
});

Deno.test("watched entries: the tries of a call are some time apart", async () => {
  const times: number[] = [];
  const { entries, define } = trial([], {
    call: () => {
      times.push(performance.now());
      return Promise.resolve({ ok: false, status: 503, message: "busy" });
    },
  });
  define(entry("deps", call({ retryLimit: 3 })));
  await entries.entry("deps");
  entries.close();
  assert.ok(times[1]! - times[0]! >= 45 && times[2]! - times[1]! >= 90, String(times));
});

Deno.test("watched entries: a projection of objects that fails keeps its former result", async () => {
  const { entries, watched, define, failFromNow } = trial();
  define(entry("deps", { ...resource, projections: [count, { name: "bad", jmesPath: "fail" }] }));
  assert.deepEqual(await entries.entry("deps.count"), { ok: true, status: 200, body: 0 });
  const bad = await entries.entry("deps.bad");
  assert.equal(bad.ok ? "" : bad.message, 'projection "bad": cannot');
  failFromNow();
  watched.get(path)!.objects = [{ kind: "Deployment" }];
  watched.get(path)!.changed();
  assert.deepEqual(await entries.entry("deps.count"), { ok: true, status: 200, body: 0 });
  assert.deepEqual(await entries.entry("deps"), { ok: true, status: 200, body: [{ kind: "Deployment" }] });
  entries.close();
});
