/** The global context over objects of a cluster. */
import assert from "node:assert/strict";
import { ClusterGlobalEntries } from "../../lib/adapters/mod.ts";
import { EmbeddedCluster, systemObjects } from "../../lib/embedded/mod.ts";
import { asList, dig, Fault, field, type Json } from "../../lib/json/mod.ts";
import type { Answer, Http } from "../../lib/ports.ts";
import { countingEntropy, fixedClock } from "./fakes.ts";

const entry = (name: string, spec: Json): Json => ({
  apiVersion: "kyverno.io/v2beta1",
  kind: "GlobalContextEntry",
  metadata: { name },
  spec,
});
const deployments = {
  kubernetesResource: { group: "apps", version: "v1", resource: "deployments", namespace: "a" },
};

function trial(
  objects: Json[],
  answers: Answer[] = [],
  { mostWait, call }: { readonly mostWait?: number; readonly call?: Http["call"] } = {},
) {
  const clock = fixedClock(), calls: Json[] = [];
  const cluster = new EmbeddedCluster({
    objects: [...systemObjects(), ...objects],
    clock,
    entropy: countingEntropy(),
  });
  const http: Http = call !== undefined ? { call } : {
    call({ method, url, body, headers }) {
      calls.push({ method, url, ...(body === undefined ? {} : { body }), headers: { ...headers } });
      return Promise.resolve(answers[Math.min(calls.length, answers.length) - 1]!);
    },
  };
  const entropy = countingEntropy();
  const compile = (expression: string) => (value: Json) =>
    expression === "fail" ? new Fault("cannot") : expression === "length(@)" ? asList(value).length : null;
  const entries = new ClusterGlobalEntries({
    cluster,
    http,
    clock,
    entropy,
    compile,
    ...(mostWait !== undefined && { mostWait }),
  });
  return { entries, cluster, clock, calls };
}

const deployment = (name: string) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name, namespace: "a" },
});

Deno.test("global entries: objects of a resource are read whole and projected, and again after a while", async () => {
  const spec = {
    ...deployments,
    projections: [{ name: "count", jmesPath: "length(@)" }, { name: "nothing", jmesPath: "x" }],
  };
  const { entries, cluster, clock } = trial([
    entry("deps", spec),
    deployment("x"),
    { apiVersion: "v1", kind: "Namespace", metadata: { name: "a" } },
  ]);
  const all = await entries.entry("deps");
  assert.deepEqual(
    all.ok && asList(all.body).map((each) => [field(each, "kind"), dig(each, "metadata", "name")]),
    [["Deployment", "x"]],
  );
  assert.deepEqual(await entries.entry("deps.count"), { ok: true, status: 200, body: 1 });
  assert.deepEqual(await entries.entry("deps.nothing"), { ok: true, status: 200, body: null });
  const none = { ok: false, status: undefined, message: 'projection "unknown" not found' };
  assert.deepEqual(await entries.entry("deps.unknown"), none);
  await cluster.call({
    method: "POST",
    path: "/apis/apps/v1/namespaces/a/deployments",
    body: { metadata: { name: "y" } },
  });
  assert.deepEqual(await entries.entry("deps.count"), { ok: true, status: 200, body: 1 });
  clock.advance(10_000);
  assert.deepEqual(await entries.entry("deps.count"), { ok: true, status: 200, body: 2 });
});

const service = { service: { url: "https://svc/x", headers: [{ key: "k", value: "v" }] } };

Deno.test("global entries: a service is called once for all callers, and again after the interval", async () => {
  const spec = {
    apiCall: { ...service, method: "POST", data: [{ key: "a", value: 1 }], refreshInterval: "30s" },
  };
  const { entries, clock, calls } = trial([entry("svc", spec)], [{ ok: true, status: 200, body: [1, 2] }]);
  await Promise.all([entries.entry("svc"), entries.entry("svc")]);
  clock.advance(29_999);
  assert.deepEqual(await entries.entry("svc"), { ok: true, status: 200, body: [1, 2] });
  assert.deepEqual(calls, [{ method: "POST", url: "https://svc/x", body: { a: 1 }, headers: { k: "v" } }]);
  clock.advance(1);
  await entries.entry("svc");
  assert.equal(calls.length, 2);
});

const away: Answer = { ok: false, status: 503, message: "HTTP 503" };

Deno.test("global entries: a failed call is retried as often as configured, then cached for a while", async () => {
  const { entries, clock, calls } = trial([entry("svc", { apiCall: { ...service, retryLimit: 2 } })], [
    away,
    away,
    { ok: true, status: 200, body: "back" },
  ]);
  const failed = { ok: false, status: undefined, message: "HTTP 503" };
  assert.deepEqual([await entries.entry("svc"), calls.length], [failed, 2]);
  assert.deepEqual([await entries.entry("svc"), calls.length], [failed, 2]);
  clock.advance(5_000);
  assert.deepEqual(await entries.entry("svc"), { ok: true, status: 200, body: "back" });
});

Deno.test("global entries: requests wait for a service that hangs for a while only, and get its answer later", async () => {
  const answered = Promise.withResolvers<Answer>();
  const { entries } = trial([entry("svc", { apiCall: service })], [], {
    mostWait: 20,
    call: () => answered.promise,
  });
  const notReady = {
    ok: false,
    status: undefined,
    message: "the entry is not ready: its load has not ended",
  };
  assert.deepEqual(await entries.entry("svc"), notReady);
  let isEarly = false;
  setTimeout(() => isEarly = true);
  assert.deepEqual([await entries.entry("svc"), isEarly], [notReady, false]);
  answered.resolve({ ok: true, status: 200, body: "late" });
  await answered.promise;
  await new Promise((resolve) => setTimeout(resolve));
  assert.deepEqual(await entries.entry("svc"), { ok: true, status: 200, body: "late" });
});

Deno.test("global entries: paths of the API server are called on the cluster", async () => {
  const { entries } = trial([
    entry("ns", { apiCall: { urlPath: "/api/v1/namespaces/default" } }),
    entry("gone", { apiCall: { urlPath: "/api/v1/namespaces/gone" } }),
  ]);
  const found = await entries.entry("ns");
  assert.equal(found.ok && dig(found.body, "metadata", "name"), "default");
  const gone = await entries.entry("gone");
  assert.equal(
    gone.ok ? "" : gone.message,
    'failed to GET resource with raw url: /api/v1/namespaces/gone: namespaces "gone" not found',
  );
});

const problems: [what: string, objects: Json[], name: string, message: string][] = [
  ["no such kind", [], "x", "the cluster has no GlobalContextEntry"],
  ["no such entry", [entry("y", deployments)], "x", 'globalcontextentries.kyverno.io "x" not found'],
  ["no name", [entry("y", deployments)], "", "the name of the entry is empty"],
  ["neither resource nor call", [entry("x", {})], "x", "the entry names neither a resource nor a call"],
  [
    "a projection of objects that fails",
    [entry("x", { ...deployments, projections: [{ name: "p", jmesPath: "fail" }] })],
    "x.p",
    'projection "p": cannot',
  ],
  [
    "a projection of an answer that fails",
    [
      entry("x", {
        apiCall: { urlPath: "/version" },
        projections: [{ name: "p", jmesPath: "fail" }],
      }),
    ],
    "x",
    "cannot",
  ],
  [
    "a projection of an answer that is null",
    [
      entry("x", {
        apiCall: { urlPath: "/version" },
        projections: [{ name: "p", jmesPath: "nothing" }],
      }),
    ],
    "x.p",
    "no data available",
  ],
  [
    "a resource that is not served",
    [entry("x", { kubernetesResource: { group: "no.example", version: "v1", resource: "things" } })],
    "x",
    "failed to list /apis/no.example/v1/things: the server could not find the requested resource",
  ],
];
for (const [what, objects, name, message] of problems) {
  Deno.test(`global entries: ${what}`, async () => {
    const answer = await trial(objects).entries.entry(name);
    assert.equal(answer.ok ? "" : answer.message, message);
  });
}

Deno.test("global entries: a changed definition is loaded again", async () => {
  const { entries, cluster, clock } = trial([entry("x", { apiCall: { urlPath: "/version" } })]);
  assert.ok((await entries.entry("x")).ok);
  await cluster.call({
    method: "PATCH",
    path: "/apis/kyverno.io/v2beta1/globalcontextentries/x",
    body: { spec: { apiCall: { urlPath: "/healthz" } } },
    contentType: "application/merge-patch+json",
  });
  clock.advance(10_000);
  assert.deepEqual(await entries.entry("x"), { ok: true, status: 200, body: "ok" });
});
