/** Collections of a running cluster: when the first list is there, and what refusals mean for those who wait for it. */
import assert from "node:assert/strict";
import { type FollowedCluster, LiveCollections, ObjectBudget, systemClock } from "../../lib/adapters/mod.ts";
import type { JsonObject } from "../../lib/json/mod.ts";
import { metadataOnly, nameOf, noAnswer } from "../../lib/kube/mod.ts";
import type { Answer, ApiCall, Log, WatchOptions } from "../../lib/ports.ts";
import { countingEntropy } from "./fakes.ts";

const refusal = (status: number): Answer => ({ ok: false, status, message: "no" });

const list = (names: readonly string[], token: string): Answer => ({
  ok: true,
  status: 200,
  body: {
    kind: "PodList",
    apiVersion: "v1",
    metadata: { resourceVersion: "9", continue: token },
    items: names.map((name) => ({ metadata: { name, namespace: "default", resourceVersion: "1" } })),
  },
});

const refusals: readonly [what: string, answers: readonly Answer[], names: readonly string[]][] = [
  ["429 at the first page: the API server is busy", [refusal(429), list(["a"], "")], ["a"]],
  ["429 at a later page", [list(["a"], "2"), refusal(429), list(["a"], "2"), list(["b"], "")], ["a", "b"]],
  ["410 at a later page: the list is too old to go on", [
    list(["a"], "2"),
    refusal(410),
    list(["a", "b"], ""),
  ], ["a", "b"]],
  ["500 at the first page: its storage does not answer", [refusal(500), list(["a"], "")], ["a"]],
  ["500 at a later page", [list(["a"], "2"), refusal(500), list(["a", "b"], "")], ["a", "b"]],
  ["401: it does not accept the token yet", [refusal(401), list(["a"], "")], ["a"]],
  ["502: a proxy before it fails", [refusal(502), list(["a"], "")], ["a"]],
  ["503: it starts", [refusal(503), list(["a"], "")], ["a"]],
  ["200 with a page of a proxy", [{ ok: true, status: 200, body: "<html>" }, list(["a"], "")], ["a"]],
  ["200 with something else at a later page", [
    list(["a"], "2"),
    { ok: true, status: 200, body: { kind: "Status" } },
    list(["a", "b"], ""),
  ], ["a", "b"]],
  ["200 with objects of another kind", [
    {
      ok: true,
      status: 200,
      body: { kind: "PodList", apiVersion: "v1", items: [{ kind: "Pod" }, { kind: "Node" }] },
    },
    list(["a"], ""),
  ], ["a"]],
  ["200 with the list of another API group", [
    { ok: true, status: 200, body: { kind: "PodList", apiVersion: "example.com/v1", items: [] } },
    list(["a"], ""),
  ], ["a"]],
  ["404: the kind is not served yet", [refusal(404), list(["a"], "")], []],
  ["403: an API server that starts has not read its roles", [refusal(403), refusal(403), list(["a"], "")], [
    "a",
  ]],
  ["403 again and again: the kind may not be read", [
    refusal(403),
    refusal(403),
    refusal(403),
    list(["a"], ""),
  ], []],
];

for (const [what, answers, names] of refusals) {
  Deno.test(`a collection is synced with all objects, or without any when none can be listed: ${what}`, async () => {
    const left = [...answers];
    const cluster: FollowedCluster = {
      call: () => Promise.resolve(left.shift() ?? refusal(403)),
      resource: () => Promise.resolve(undefined),
      follow: (_path, signal) =>
        Promise.resolve({
          ok: true,
          // deno-lint-ignore require-yield -- a watch on which nothing happens
          lines: (async function* () {
            if (signal.aborted) return;
            await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
          })(),
        }),
    };
    const collections = new LiveCollections({ cluster, clock: systemClock(), entropy: countingEntropy() });
    const seen: string[] = [];
    const collection = collections.watch("/api/v1/pods", ({ object }) => {
      seen.push(String((object?.["metadata"] as Record<string, unknown>)["name"]));
    });
    await collection.synced;
    assert.deepEqual(seen.sort(), names);
    await collection.close();
  });
}

const watches: readonly (readonly [options: WatchOptions, accept: string | undefined])[] = [
  [{}, undefined],
  [{ changes: "metadata" }, metadataOnly],
];
for (const [options, accept] of watches) {
  Deno.test(`a collection lists whole objects, and watches ${accept === undefined ? "whole objects" : "their metadata"}`, async () => {
    const watched = Promise.withResolvers<string | undefined>();
    const listed: ApiCall[] = [];
    const cluster: FollowedCluster = {
      call: (call) => (listed.push(call), Promise.resolve(list(["a"], ""))),
      resource: () => Promise.resolve(undefined),
      follow: (_path, _signal, accept) => {
        watched.resolve(accept);
        return Promise.resolve({ ok: false, status: 410, message: "gone" });
      },
    };
    const collections = new LiveCollections({ cluster, clock: systemClock(), entropy: countingEntropy() });
    const collection = collections.watch("/api/v1/pods", () => {}, options);
    assert.equal(await watched.promise, accept);
    assert.equal(listed[0]?.accept, undefined);
    await collection.close();
  });
}

const endsAtOnce: readonly (readonly [what: string, lines: readonly string[]])[] = [
  ["without an event", []],
  ["behind a bookmark", ['{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"9"}}}']],
];
for (const [what, lines] of endsAtOnce) {
  Deno.test(`watches that the API server ends at once ${what}, again and again, are opened after pauses`, async () => {
    let opened = 0;
    const cluster: FollowedCluster = {
      call: () => Promise.resolve(list(["a"], "")),
      resource: () => Promise.resolve(undefined),
      follow: async () => {
        opened++;
        // As an answer over the network, it leaves room for timers.
        await new Promise((resolve) => setTimeout(resolve, 1));
        return { ok: true, lines: ReadableStream.from(lines) };
      },
    };
    const collections = new LiveCollections({ cluster, clock: systemClock(), entropy: countingEntropy() });
    const collection = collections.watch("/api/v1/pods", () => {});
    await new Promise((resolve) => setTimeout(resolve, 900));
    await collection.close();
    assert.ok(opened >= 2 && opened <= 4, `${opened} watches in 900 ms`);
  });
}

function large(name: string, namespace: string, bytes: number): JsonObject {
  return { metadata: { name, namespace, resourceVersion: name }, data: { text: "x".repeat(bytes) } };
}

/** A cluster whose objects come in pages, and then as events. */
function pagedCluster(
  pages: readonly (readonly JsonObject[])[],
  events: Promise<readonly JsonObject[]>,
): FollowedCluster {
  return {
    call: ({ path }) => {
      const page = Number(/continue=(\d+)/.exec(path)?.[1] ?? 0);
      const next = page + 1 < pages.length ? String(page + 1) : "";
      const body = {
        kind: "List",
        apiVersion: /^\/apis\/(\w+\.io\/v\d)/.exec(path)?.[1] ?? "v1",
        metadata: { continue: next },
        items: pages[page]!,
      };
      return Promise.resolve({ ok: true, status: 200, body });
    },
    resource: () => Promise.resolve(undefined),
    follow: (_path, signal) =>
      Promise.resolve({
        ok: true,
        lines: (async function* () {
          for (const event of await events) yield JSON.stringify(event);
          if (signal.aborted) return;
          await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
        })(),
      }),
  };
}

Deno.test("objects above the limit are left out, with their namespaces, until there is room", async () => {
  const pages = Array.from({ length: 20 }, (_, page) => [large(`m${page}`, `n${page % 2}`, 1_000)]);
  const events = [
    {
      type: "MODIFIED",
      object: {
        ...large("m0", "n0", 100_000),
        metadata: { name: "m0", namespace: "n0", resourceVersion: "2" },
      },
    },
    ...pages.slice(1).map(([object]) => ({ type: "DELETED", object: object! })),
    { type: "ADDED", object: large("last", "n5", 10) },
  ];
  const happening = Promise.withResolvers<readonly JsonObject[]>();
  const cluster = pagedCluster(pages, happening.promise);
  const log: string[] = [];
  const collections = new LiveCollections({
    cluster,
    clock: systemClock(),
    entropy: countingEntropy(),
    budget: new ObjectBudget(5_500),
    log: { write: (level, message) => void log.push(`${level} ${message}`) },
  });
  const whenListed = Promise.withResolvers<void>(), whenLast = Promise.withResolvers<void>();
  let listed = 0;
  const collection = collections.watch("/api/v1/configmaps", ({ object }) => {
    if (++listed === pages.length) whenListed.resolve();
    if (object?.["metadata"] !== undefined && nameOf(object) === "last") whenLast.resolve();
  });
  await whenListed.promise;
  assert.equal(collection.objects().length, 4, "two of each namespace");
  assert.deepEqual([...collection.leftOut?.namespaces ?? []].sort(), ["n0", "n1"]);
  assert.match(
    collection.leftOut?.message ?? "",
    /^the objects of \/api\/v1\/configmaps take more than 5500 bytes$/,
  );
  assert.deepEqual(log, ["error /api/v1/configmaps: objects are left out"]);
  const others = collections.watch("/api/v1/secrets", () => {});
  await others.synced;
  assert.ok(others.leftOut !== undefined, "the bytes are those of all collections");
  happening.resolve(events);
  await others.close();
  await whenLast.promise;
  assert.deepEqual(collection.objects().map(nameOf), ["last"]);
  assert.deepEqual([...collection.leftOut?.namespaces ?? []], ["n0"], "what became too large is left out");
  await collection.close();
  const after = collections.watch("/api/v1/pods", () => {});
  await after.synced;
  assert.ok(after.objects().length >= 4, "a collection that is closed makes room");
  await after.close();
});

Deno.test("objects of the whole cluster are kept when namespaces use up their bytes", async () => {
  const flood = Array.from({ length: 20 }, (_, index) => large(`m${index}`, `team${index % 2}`, 1_000));
  const ofCluster = Array.from({ length: 3 }, (_, index) => large(`c${index}`, "", 1_000));
  const noEvents = Promise.resolve([]);
  const collections = new LiveCollections({
    cluster: {
      ...pagedCluster([], noEvents),
      call: (call) =>
        pagedCluster([call.path.includes("/policies") ? flood : ofCluster], noEvents).call(call),
    },
    clock: systemClock(),
    entropy: countingEntropy(),
    budget: new ObjectBudget(12_000),
  });
  const policies = collections.watch("/apis/kyverno.io/v1/policies", () => {});
  await policies.synced;
  assert.deepEqual([...policies.leftOut?.namespaces ?? []], ["team0", "team1"]);
  const clusterPolicies = collections.watch("/apis/kyverno.io/v1/clusterpolicies", () => {});
  await clusterPolicies.synced;
  assert.deepEqual(clusterPolicies.objects().map(nameOf), ["c0", "c1"], "a quarter of the bytes");
  assert.deepEqual([...clusterPolicies.leftOut?.namespaces ?? []], [""], "the reserve has an end");
  await Promise.all([policies.close(), clusterPolicies.close()]);
});

Deno.test("objects of a namespace are kept when another namespace uses up its bytes", async () => {
  const flood = Array.from({ length: 20 }, (_, index) => large(`m${index}`, "team", 1_000));
  const others = Array.from({ length: 3 }, (_, index) => large(`o${index}`, "others", 1_000));
  const collections = new LiveCollections({
    cluster: pagedCluster([flood, others], Promise.resolve([])),
    clock: systemClock(),
    entropy: countingEntropy(),
    budget: new ObjectBudget(10_000),
  });
  const policies = collections.watch("/apis/kyverno.io/v1/policies", () => {});
  await policies.synced;
  assert.deepEqual([...policies.leftOut?.namespaces ?? []], ["team"]);
  assert.deepEqual(policies.objects().map(nameOf).slice(-3), ["o0", "o1", "o2"]);
  await policies.close();
});

Deno.test("however many objects of a namespace are left out, they concern that namespace alone", async () => {
  const flood = Array.from({ length: 20_000 }, (_, index) => large(`m${index}`, "team", 10));
  const collections = new LiveCollections({
    cluster: pagedCluster([flood], Promise.resolve([])),
    clock: systemClock(),
    entropy: countingEntropy(),
    budget: new ObjectBudget(1_000),
  });
  const policies = collections.watch("/apis/kyverno.io/v1/policies", () => {});
  await policies.synced;
  assert.deepEqual([...policies.leftOut?.namespaces ?? []], ["team"]);
  await policies.close();
});

Deno.test("objects are listed again when there is room for those that were left out", async () => {
  const first = [large("a", "team", 1_000), large("b", "team", 1_000), large("c", "team", 1_000)];
  const lists = [first, first.slice(1)], watched: string[] = [];
  const kept = Promise.withResolvers<void>();
  const noticed: string[] = [];
  const cluster: FollowedCluster = {
    call: () => {
      const items = lists.length > 1 ? lists.shift()! : lists[0]!;
      const body = { kind: "PolicyList", apiVersion: "kyverno.io/v1", metadata: {}, items };
      return Promise.resolve({ ok: true, status: 200, body });
    },
    resource: () => Promise.resolve(undefined),
    follow: (path, signal) =>
      Promise.resolve({
        ok: true,
        lines: (async function* () {
          watched.push(/timeoutSeconds=(\d+)/.exec(path)![1]!);
          if (watched.length === 2) yield JSON.stringify({ type: "DELETED", object: first[0]! });
          if (watched.length > 2) {
            await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
          }
        })(),
      }),
  };
  const ports = {
    cluster,
    clock: systemClock(),
    entropy: countingEntropy(),
    budget: new ObjectBudget(6_000),
  };
  const collection = new LiveCollections(ports).watch("/apis/kyverno.io/v1/policies", ({ object }) => {
    if (object !== undefined) noticed.push(nameOf(object));
    if (collection?.objects().length === 2 && noticed.length > 3) kept.resolve();
  }, { leftOutChanged: () => noticed.push("room") });
  await kept.promise;
  assert.deepEqual(collection.objects().map(nameOf), ["b", "c"]);
  await collection.close();
  assert.equal(collection.leftOut, undefined);
  // The second watch ended without room, and nothing was listed again before the third.
  assert.deepEqual(watched.slice(0, 2), ["60", "60"]);
  assert.deepEqual(noticed, ["a", "b", "c", "c", "room"]);
});

Deno.test("left-out objects stay left out while all are listed again", async () => {
  const object = large("large", "team", 10_000);
  const again = Promise.withResolvers<void>();
  const body = { kind: "PolicyList", apiVersion: "kyverno.io/v1", metadata: {}, items: [object] };
  let lists = 0;
  const cluster: FollowedCluster = {
    call: async ({ signal }) => {
      if (++lists === 1) return { ok: true, status: 200, body };
      again.resolve();
      await new Promise<void>((resolve) => signal?.addEventListener("abort", () => resolve()));
      return { ok: false, status: undefined, message: "aborted" };
    },
    resource: () => Promise.resolve(undefined),
    follow: () => Promise.resolve({ ok: false, status: 410, message: "gone" }),
  };
  const ports = {
    cluster,
    clock: systemClock(),
    entropy: countingEntropy(),
    budget: new ObjectBudget(1_000),
  };
  const collection = new LiveCollections(ports).watch("/apis/kyverno.io/v1/policies", () => {});
  await collection.synced;
  assert.deepEqual([...collection.leftOut?.namespaces ?? []], ["team"]);
  await again.promise;
  assert.deepEqual([...collection.leftOut?.namespaces ?? []], ["team"]);
  await collection.close();
});

const unserved: readonly (readonly [path: string, hint: RegExp])[] = [
  ["/apis/kyverno.io/v1/clusterpolicies", /postern manifests --crds/],
  ["/apis/example.com/v1/gadgets", /does not serve the kind/],
];
for (const [path, hint] of unserved) {
  Deno.test(`the log says once what to do when the cluster does not serve ${path}`, async () => {
    const lines: string[] = [], again = Promise.withResolvers<void>();
    let calls = 0;
    const cluster: FollowedCluster = {
      call: () => {
        if (++calls === 3) again.resolve();
        return Promise.resolve(refusal(404));
      },
      resource: () => Promise.resolve(undefined),
      follow: () => Promise.resolve({ ok: false, status: 404, message: "no" }),
    };
    const log: Log = {
      write: (_level, message, fields) => void lines.push(`${message} ${fields?.["hint"]}`),
    };
    const collection = new LiveCollections({ cluster, clock: systemClock(), entropy: countingEntropy(), log })
      .watch(path, () => {});
    await again.promise;
    await collection.close();
    assert.equal(lines.length, 1, lines.join("\n"));
    assert.match(lines[0]!, hint);
  });
}

Deno.test("the log names the call of a failed list once, with its query", async () => {
  const written = Promise.withResolvers<unknown>();
  const cluster: FollowedCluster = {
    call: (call) => Promise.resolve(noAnswer(call, "connection refused")),
    resource: () => Promise.resolve(undefined),
    follow: () => Promise.reject(new Error("nothing is listed")),
  };
  const log: Log = { write: (_level, _message, fields) => written.resolve(fields) };
  const ports = { cluster, clock: systemClock(), entropy: countingEntropy(), log };
  const collection = new LiveCollections(ports).watch("/api/v1/pods", () => {});
  assert.deepEqual(await written.promise, { reason: "GET /api/v1/pods?limit=250: connection refused" });
  await collection.close();
});
