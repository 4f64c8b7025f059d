/** The global context with its entries at hand. */
import assert from "node:assert/strict";
import { refreshOf } from "../../lib/adapters/global_entry.ts";
import type { Json, JsonObject } from "../../lib/json/mod.ts";
import type { Answer } from "../../lib/ports.ts";
import { entriesTrial as trial } from "./entries_trial.ts";

const entry = (spec: Json): JsonObject => ({ kind: "GlobalContextEntry", metadata: { name: "deps" }, spec });
const resource = {
  kubernetesResource: { group: "apps", version: "v1", resource: "deployments", namespace: "a" },
};
const counted = { ...resource, projections: [{ name: "count", jmesPath: "length(@)" }] };

const path = "/apis/apps/v1/namespaces/a/deployments";

Deno.test("watched entries: objects are those that the watch delivered, and projected once for each state", async () => {
  const { entries, watched, define, reported, projections } = trial();
  define(entry(counted));
  assert.deepEqual(await entries.entry("deps.count"), { ok: true, status: 200, body: 0 });
  const kept = watched.get(path)!;
  kept.objects = [{ kind: "Deployment" }];
  assert.deepEqual(await entries.entry("deps.count"), { ok: true, status: 200, body: 0 });
  kept.changed();
  assert.deepEqual(await entries.entry("deps.count"), { ok: true, status: 200, body: 1 });
  assert.deepEqual(await entries.entry("deps"), { ok: true, status: 200, body: [{ kind: "Deployment" }] });
  assert.deepEqual([projections(), reported.map(({ problem }) => problem)], [2, [undefined]]);
  entries.close();
  assert.equal(kept.closed, true);
});

Deno.test("watched entries: an unchanged definition keeps its watch, a changed or deleted one ends it", async () => {
  const { entries, watched, define } = trial();
  define(entry(resource));
  await entries.entry("deps");
  const kept = watched.get(path)!;
  define({ ...entry(resource), status: {} });
  assert.equal(kept.closed, false);
  define(entry(counted));
  await entries.entry("deps");
  assert.deepEqual([kept.closed, watched.get(path)!.closed], [true, false]);
  define();
  assert.deepEqual(await entries.entry("deps"), { ok: false, status: 404, message: "no deps" });
  assert.equal(watched.get(path)!.closed, true);
});

Deno.test("watched entries: a call is repeated after its interval, and a failed one is tried again", async () => {
  const spec = { apiCall: { service: { url: "http://x" }, retryLimit: 1, refreshInterval: "10ms" } };
  const answers: Answer[] = [
    { ok: false, status: 400, message: "not yet" },
    { ok: true, status: 200, body: "first" },
    { ok: true, status: 200, body: "second" },
  ];
  const { entries, define, reported } = trial(answers);
  define(entry(spec));
  assert.deepEqual(await entries.entry("deps"), { ok: false, status: undefined, message: "not yet" });
  while (reported.length < 3) await new Promise((resolve) => setTimeout(resolve, 2));
  assert.deepEqual(reported.slice(0, 3).map(({ problem }) => problem), ["not yet", undefined, undefined]);
  entries.close();
});

Deno.test("watched entries: a resource that cannot be listed says why", async () => {
  const { entries, define, reported } = trial();
  define(entry({ kubernetesResource: { group: "no.such", version: "v1", resource: "things" } }));
  const answer = await entries.entry("deps");
  assert.equal(answer.ok, false);
  assert.match(!answer.ok ? answer.message : "", /^failed to list \/apis\/no\.such\/v1\/things: /);
  assert.match(reported[0]?.problem ?? "", /^failed to list /);
  entries.close();
});

Deno.test("watched entries: an entry whose objects take too much memory is an error, and not some of them", async () => {
  const { entries, watched, define } = trial();
  define(entry(counted));
  await entries.entry("deps.count");
  const kept = watched.get(path)!;
  kept.leftOut = { message: "the objects take too much", namespaces: new Set(["a"]) };
  kept.changed();
  for (const name of ["deps", "deps.count"]) {
    const answer = await entries.entry(name);
    assert.ok(!answer.ok && answer.message.includes("the objects take too much"), name);
  }
});

const intervals: [written: string, milliseconds: number][] = [
  ["1ns", 1_000],
  ["999ms", 1_000],
  ["30s", 30_000],
  ["0s", 600_000],
  ["-1h", 600_000],
  // A timer takes no more than 24 days, and ends at once otherwise.
  ["1000h", 2 ** 31 - 1],
];
for (const [written, milliseconds] of intervals) {
  Deno.test(`an entry that shall be refreshed each ${written} is, after ${milliseconds} ms`, () => {
    assert.equal(refreshOf({ refreshInterval: written }), milliseconds);
  });
}
