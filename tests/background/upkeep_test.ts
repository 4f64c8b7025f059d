/** Work that is found by looking at the cluster, without a request that caused it. */
import assert from "node:assert/strict";
import { BackgroundWorker, Upkeep, type UpkeepOptions } from "../../lib/background/mod.ts";
import { asObject, dig, type JsonObject } from "../../lib/json/mod.ts";
import { pause } from "../../lib/pause.ts";
import type { Answer, ApiCall } from "../../lib/ports.ts";
import {
  copy,
  keptLog,
  policies,
  portsWith,
  request,
  settings,
  source,
  synchronized,
  type WatchedCluster,
} from "./setting.ts";

const touching = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: touch}
spec:
  rules:
  - name: targets
    match: {any: [{resources: {kinds: [Namespace], selector: {matchLabels: {team: "yes"}}}}]}
    mutate:
      targets: [{apiVersion: v1, kind: Secret, namespace: default, name: regcred}]
      patchesJson6902: |-
        - {op: add, path: /data/seen, value: eA==}
`;
const objects = `
{apiVersion: v1, kind: Namespace, metadata: {name: default}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: old, uid: u-old, labels: {team: "yes"}}}
---
{apiVersion: v1, kind: Secret, metadata: {name: regcred, namespace: default, uid: u-source}, data: {a: eA==}}
`;
const blue: JsonObject = {
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name: "blue", labels: { team: "yes" } },
};
const bluePath = "/api/v1/namespaces/blue";
const oldSettings = "/api/v1/namespaces/old/configmaps/settings";

/** A cluster, and replicas that come and go; what a leader notes outlives them. */
function setUp(text = synchronized, dialect: "classic" | "current" = "current") {
  const { cluster, ports } = portsWith(objects);
  const log = keptLog();
  let current = policies(text, dialect), noted = "";
  const memory = { read: () => noted, write: (written: string) => void (noted = written) };
  const start = (options: Partial<UpkeepOptions> & { maxBytes?: number; hangs?: boolean } = {}) => {
    const { maxBytes = 1_000_000, hangs = false, ...rest } = options;
    const worker = new BackgroundWorker({
      snapshot: () => current,
      ports,
      log,
      triggers: "as-stored",
      maxBytes,
      wait: () => hangs ? new Promise(() => {}) : Promise.resolve(),
      refused: (_, waited) => upkeep.missed(waited),
    });
    const upkeep: Upkeep = new Upkeep({ snapshot: () => current, ports, log, worker, memory, ...rest });
    return {
      worker,
      async look() {
        await this.compare();
        await worker.drain();
      },
      async compare() {
        upkeep.compare();
        await upkeep.done();
      },
      async admit(object: JsonObject) {
        const made = await cluster.inner.call({ method: "POST", path: "/api/v1/namespaces", body: object });
        assert.ok(made.ok);
        const taken = worker.add(request(made.body as JsonObject));
        await worker.drain();
        return taken;
      },
      missedSince: (since: number) => upkeep.missedSince(since),
      replicaLost: (since: number) => upkeep.replicaLost(since),
      done: () => upkeep.done(),
      close: () => upkeep.close(),
    };
  };
  /** A replica that made the objects of its requests, and is gone. */
  const ran = async (): Promise<void> => {
    const replica = start();
    await replica.look();
    await replica.admit(blue);
    assert.ok(await cluster.read(settings) && await cluster.read(copy));
    await replica.close();
    cluster.writes.length = 0;
  };
  /** Starts a new replica, and returns the writes of all replicas after its first look. */
  const restarted = async (options: Partial<UpkeepOptions> = {}): Promise<readonly string[]> => {
    const replica = start(options);
    await replica.look();
    await replica.close();
    return cluster.writes;
  };
  const remove = async (path: string): Promise<void> => {
    assert.ok((await cluster.inner.call({ method: "DELETE", path })).ok, path);
  };
  return {
    cluster,
    ports,
    log,
    start,
    ran,
    restarted,
    remove,
    change: (to: string) => void (current = policies(to)),
  };
}

const generating = `
apiVersion: policies.kyverno.io/v1
kind: GeneratingPolicy
metadata: {name: settings}
spec:
  evaluation: {synchronize: {enabled: true}}
  matchConstraints:
    resourceRules:
    - {apiGroups: [""], apiVersions: [v1], resources: [namespaces], operations: [CREATE, UPDATE]}
  variables: [{name: found, expression: 'resource.Get("v1", "secrets", "default", "regcred").data.a'}]
  generate:
  - expression: >-
      generator.Apply(object.metadata.name, [{"apiVersion": dyn("v1"), "kind": dyn("ConfigMap"),
      "metadata": dyn({"name": "NAME"}), "data": dyn({"color": variables.found})}])
`;

Deno.test("an object that a GeneratingPolicy makes under another name replaces the former one", async () => {
  const { cluster, start, change, remove } = setUp(generating.replace("NAME", "settings"));
  const replica = start();
  await replica.look();
  await replica.admit(blue);
  assert.ok(await cluster.read(settings));
  change(generating.replace("NAME", "renamed"));
  await replica.look();
  assert.ok(await cluster.read(settings.replace(/settings$/, "renamed")));
  assert.equal(await cluster.read(settings), undefined);
  // A rule whose source is missing cannot be evaluated: its downstream objects stay.
  await remove(source);
  await replica.look();
  assert.ok(await cluster.read(settings.replace(/settings$/, "renamed")));
  await replica.close();
});

const existingOnly = `
apiVersion: policies.kyverno.io/v1
kind: MutatingPolicy
metadata: {name: marks}
spec:
  evaluation: {admission: {enabled: false}, background: {enabled: false}, mutateExisting: {enabled: true}}
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [secrets]}]
  mutations:
  - patchType: ApplyConfiguration
    applyConfiguration: {expression: 'Object{metadata: Object.metadata{labels: Object.metadata.labels{seen: "yes"}}}'}
`;
for (
  const [what, text] of [
    ["MutatingPolicy", existingOnly],
    [
      "ClusterPolicy",
      touching.replace("spec:", "spec:\n  admission: false\n  mutateExistingOnPolicyUpdate: true")
        .replace(/patchesJson6902: [^]*/, 'patchStrategicMerge: {metadata: {labels: {seen: "yes"}}}\n'),
    ],
  ] as const
) {
  Deno.test(`a ${what} without admission changes objects that exist`, async () => {
    const { cluster, restarted } = setUp(text);
    await restarted();
    assert.equal(dig(await cluster.read(source) ?? null, "metadata", "labels", "seen"), "yes");
  });
}

Deno.test("a clone stays when its rule is deleted in the dialect classic, and is deleted with it in the dialect current", async () => {
  const listed = synchronized.replace(
    /name: regcred\n {6}namespace: "([^"]*)"\n {6}clone: .*/,
    'namespace: "$1"\n      cloneList: {namespace: default, kinds: [v1/Secret], selector: {matchLabels: {copied: "yes"}}}',
  ).replace("      apiVersion: v1\n      kind: Secret\n", "");
  const rules = [[synchronized, "classic", true], [synchronized, "current", false], [
    listed,
    "classic",
    false,
  ], [
    listed,
    "current",
    false,
  ]] as const;
  for (const [text, dialect, outlives] of rules) {
    const { cluster, start, change } = setUp(text, dialect);
    const labelled = await cluster.read(source) as JsonObject;
    const metadata = { ...labelled["metadata"] as JsonObject, labels: { copied: "yes" } };
    await cluster.inner.call({ method: "PUT", path: source, body: { ...labelled, metadata } });
    const replica = start();
    await replica.look();
    await replica.admit(blue);
    assert.ok(await cluster.read(copy), text);
    change("");
    await replica.look();
    assert.equal(await cluster.read(copy) !== undefined, outlives);
    await replica.close();
  }
});

Deno.test("checking a cluster in the wanted state writes nothing", async () => {
  const { ran, restarted } = setUp();
  await ran();
  assert.deepEqual(await restarted(), []);
});

Deno.test("a new replica makes downstream objects again that were deleted while none ran", async () => {
  const { ran, restarted, remove } = setUp();
  await ran();
  await remove(settings);
  await remove(copy);
  const made = (path: string) => `POST ${path.slice(0, path.lastIndexOf("/"))}`;
  assert.deepEqual(await restarted(), [made(settings), made(copy)]);
});

Deno.test("a new replica restores downstream objects that were changed while none ran", async () => {
  const { cluster, ran, restarted } = setUp();
  await ran();
  await cluster.inner.call({
    method: "PUT",
    path: settings,
    body: { ...await cluster.read(settings), data: {} },
  });
  await cluster.inner.call({
    method: "PUT",
    path: source,
    body: { ...await cluster.read(source), data: { b: "eQ==" } },
  });
  assert.deepEqual(await restarted(), [`PUT ${settings}`, `PUT ${copy}`]);
  assert.deepEqual((await cluster.read(copy))?.["data"], { b: "eQ==" });
});

Deno.test("a rule generates nothing for objects that existed before it, at its start and later", async () => {
  const { cluster, ran, restarted } = setUp();
  await ran();
  await restarted();
  assert.equal(await cluster.read(oldSettings), undefined);
});

for (const skew of [-120_000, 120_000]) {
  Deno.test(`a rule distinguishes earlier triggers from later ones with a clock that differs by ${skew / 1_000} s`, async () => {
    const { cluster, ports, start, remove } = setUp();
    const clock = { now: () => ports.clock.now() + skew };
    const replica = start({ ports: { ...ports, clock }, apiServerTime: () => ports.clock.now() });
    await replica.look();
    assert.equal(await cluster.read(oldSettings), undefined, "older than the rule");
    await replica.admit(blue);
    await remove(settings);
    await replica.look();
    assert.notEqual(await cluster.read(settings), undefined, "younger than the rule");
    await replica.close();
  });
}

Deno.test("a new replica deletes downstream objects whose trigger was deleted while none ran", async () => {
  const { ran, restarted, remove, cluster } = setUp(
    synchronized.replaceAll('namespace: "{{ request.object.metadata.name }}"', "namespace: old"),
  );
  const replica = [settings, copy].map((path) => path.replace("blue", "old"));
  await ran().catch(() => {});
  cluster.writes.length = 0;
  await remove(bluePath);
  assert.deepEqual(await restarted(), replica.map((path) => `DELETE ${path}`));
});

Deno.test("the downstream of a rule that names its operations outlives the trigger", async () => {
  for (const operations of ["DELETE", "CREATE, DELETE", "CREATE, UPDATE"]) {
    const text = synchronized.replaceAll(
      "kinds: [Namespace]",
      `kinds: [Namespace], operations: [${operations}]`,
    )
      .replaceAll('namespace: "{{ request.object.metadata.name }}"', "namespace: old");
    const { cluster, start, remove, restarted } = setUp(text);
    const replica = start();
    await replica.look();
    await replica.admit(blue);
    const trigger = await cluster.read(bluePath) as JsonObject;
    await remove(bluePath);
    replica.worker.add(request(trigger, { operation: "DELETE" }));
    await replica.worker.drain();
    const made = oldSettings;
    assert.ok(await cluster.read(made), operations);
    await replica.look();
    await replica.close();
    await restarted();
    assert.ok(await cluster.read(made), operations);
  }
});

Deno.test("a comparison generates nothing for a generated object, unless the rule looks at Postern's requests", async () => {
  const chained = (skips: boolean) =>
    `${synchronized}
  - name: chained
    skipBackgroundRequests: ${skips}
    match: {any: [{resources: {kinds: [ConfigMap], names: [settings]}}]}
    generate:
      synchronize: true
      apiVersion: v1
      kind: ConfigMap
      name: chained
      namespace: "{{ request.object.metadata.namespace }}"
      data: {data: {a: b}}
`;
  for (const skips of [true, false]) {
    const { cluster, start } = setUp(chained(skips));
    const replica = start();
    await replica.look();
    await replica.admit(blue);
    await replica.look();
    replica.replicaLost(0);
    await replica.look();
    await replica.close();
    assert.equal(await cluster.read(settings.replace(/settings$/, "chained")) === undefined, skips);
  }
});

Deno.test("a new replica deletes downstream objects whose trigger stopped matching while none ran", async () => {
  const { cluster, ran, restarted } = setUp();
  await ran();
  const trigger = (await cluster.read(bluePath))!;
  const metadata = { ...asObject(trigger["metadata"]), labels: { "kubernetes.io/metadata.name": "blue" } };
  await cluster.inner.call({ method: "PUT", path: bluePath, body: { ...trigger, metadata } });
  assert.deepEqual(await restarted(), [`DELETE ${settings}`, `DELETE ${copy}`]);
});

Deno.test("a comparison generates nothing for a trigger whose user decides, as it does not know the user", async () => {
  const text = synchronized.replaceAll(
    '{team: "yes"}}}}]}',
    '{team: "yes"}}}}]}\n    exclude: {any: [{subjects: [{kind: User, name: jane}]}]}',
  );
  const { cluster, start } = setUp(text);
  const replica = start();
  await replica.look();
  await replica.admit(blue);
  await replica.look();
  replica.replicaLost(0);
  await replica.look();
  await replica.close();
  assert.equal(await cluster.read(settings), undefined);
});

Deno.test("a rule that reads the user of a request never counts as no longer matching", async () => {
  const { ran, restarted } = setUp(
    synchronized.replaceAll("match: {any: [{", "match: {any: [{subjects: [{kind: User, name: jane}], "),
  );
  await ran();
  assert.deepEqual(await restarted(), []);
});

Deno.test("a new replica deletes clones whose source was deleted while none ran", async () => {
  const { ran, restarted, remove } = setUp();
  await ran();
  await remove(source);
  assert.deepEqual(await restarted(), [`DELETE ${copy}`]);
});

Deno.test("nothing is deleted when the objects that decide it cannot be listed", async () => {
  const { cluster, ran, restarted, remove, log } = setUp();
  await ran();
  await remove(source);
  await remove(bluePath);
  cluster.interfere = ({ path, method }) =>
    method === "GET" && /^\/api\/v1\/(namespaces|namespaces\/default\/secrets)\?/.test(path)
      ? { ok: false, status: 403, message: "forbidden" }
      : undefined;
  assert.deepEqual(await restarted(), []);
  assert.ok(log.lines.includes("warn the synchronized objects of a rule could not be checked"));
});

Deno.test("a replica that does not lead does nothing", async () => {
  const { ran, restarted, remove } = setUp();
  await ran();
  await remove(settings);
  assert.deepEqual(await restarted({ leads: () => false }), []);
});

Deno.test("changed data of a rule reaches its downstream objects", async () => {
  const { cluster, start, change } = setUp();
  const replica = start();
  await replica.look();
  await replica.admit(blue);
  cluster.writes.length = 0;
  change(synchronized.replace("color: blue", "color: red"));
  await replica.look();
  assert.deepEqual(cluster.writes, [`PUT ${settings}`]);
  assert.deepEqual(dig(await cluster.read(settings), "data"), { color: "red" });
});

const deleted = [["classic", [settings]], ["current", [settings, copy]]] as const;
for (const [dialect, paths] of deleted) {
  Deno.test(`what a rule generated is deleted with it, in the dialect ${dialect}`, async () => {
    const { cluster, start, change } = setUp(synchronized, dialect);
    const replica = start();
    await replica.look();
    await replica.admit(blue);
    cluster.writes.length = 0;
    change("");
    await replica.look();
    assert.deepEqual(cluster.writes, paths.map((path) => `DELETE ${path}`));
  });
}

Deno.test("a rule with another target releases the objects that it generated", async () => {
  const text = synchronized.replaceAll('namespace: "{{ request.object.metadata.name }}"', "namespace: old");
  const { cluster, start, change, remove } = setUp(text);
  const replica = start();
  await replica.look();
  await replica.admit(blue);
  change(text.replace("name: settings", "name: others"));
  await replica.look();
  const labels = dig(await cluster.read(oldSettings), "metadata", "labels") as JsonObject;
  assert.deepEqual(Object.keys(labels).filter((name) => /policy|rule/.test(name)), []);
  assert.equal(labels["generate.kyverno.io/trigger-kind"], "Namespace");
  assert.ok(await cluster.read(oldSettings.replace(/settings$/, "others")));
  await remove(bluePath);
  await replica.look();
  assert.deepEqual(
    dig(await cluster.read(oldSettings), "data"),
    { color: "blue" },
    "it outlives its trigger",
  );
  assert.equal(await cluster.read(oldSettings.replace(/settings$/, "others")), undefined);
  await replica.close();
});

const refusals = [
  ["listed", (method: string, path: string) => method === "GET" && path.includes("/secrets")],
  ["deleted", (method: string) => method === "DELETE"],
] as const;
for (const [what, isRefused] of refusals) {
  Deno.test(`the objects of a removed rule are deleted later when they cannot be ${what} at once`, async () => {
    const { cluster, start, change } = setUp();
    const replica = start();
    await replica.look();
    await replica.admit(blue);
    change("");
    cluster.interfere = ({ method, path }) =>
      isRefused(method, path) ? { ok: false, status: 503, message: "the API server is busy" } : undefined;
    await replica.look();
    // The objects of the other rule can be listed.
    assert.equal(await cluster.read(settings) === undefined, what === "listed");
    assert.ok(await cluster.read(copy));
    cluster.interfere = () => undefined;
    // Policies that change meanwhile must not hide the objects that are still to be deleted.
    change(touching);
    await replica.look();
    assert.deepEqual([await cluster.read(settings), await cluster.read(copy)], [undefined, undefined]);
    cluster.writes.length = 0;
    await replica.look();
    assert.deepEqual(cluster.writes, []);
    await replica.close();
  });
}

Deno.test("orphanDownstreamOnPolicyDelete keeps generated objects", async () => {
  const { cluster, start, change } = setUp(
    synchronized.replaceAll(
      "synchronize: true",
      "synchronize: true\n      orphanDownstreamOnPolicyDelete: true",
    ),
  );
  const replica = start();
  await replica.look();
  await replica.admit(blue);
  cluster.writes.length = 0;
  change("");
  await replica.look();
  assert.deepEqual(cluster.writes, []);
});

Deno.test("generateExisting evaluates existing objects once when a rule is new or changed, also after restarts", async () => {
  const text = synchronized.replaceAll("synchronize: true", "generateExisting: true");
  const { cluster, start, restarted, remove } = setUp(text);
  const replica = start();
  await replica.look();
  assert.notEqual(await cluster.read(oldSettings), undefined);
  await remove(oldSettings);
  cluster.writes.length = 0;
  await replica.look();
  assert.deepEqual(cluster.writes, [], "an unchanged rule is not asked again");
  assert.deepEqual(await restarted(), [], "nor after a restart");
});

Deno.test("a rule that says false looks at no existing objects, whatever its policy says", async () => {
  const generates = synchronized.replaceAll("synchronize: true", "generateExisting: false")
    .replace("spec:", "spec:\n  generateExisting: true");
  const changes = touching.replace("mutate:", "mutate:\n      mutateExistingOnPolicyUpdate: false")
    .replace("spec:", "spec:\n  mutateExistingOnPolicyUpdate: true");
  for (const text of [generates, changes]) assert.deepEqual(await setUp(text).restarted(), []);
  for (const text of [generates, changes]) {
    assert.notDeepEqual(await setUp(text.replaceAll(": false", ": true")).restarted(), []);
  }
});

const generatesOnce = synchronized.replaceAll("synchronize: true", "generateExisting: true");
const isPost = (write: string): boolean => write.startsWith("POST ");
const outages: readonly (readonly [what: string, status: number | undefined])[] = [
  ["500", 500],
  ["no answer", undefined],
  ["410: the version is too old", 410],
];
for (const [what, status] of outages) {
  Deno.test(`generateExisting evaluates all existing objects although their list fails: ${what}`, async () => {
    const { cluster, start } = setUp(generatesOnce);
    for (let index = 0; index < 300; index++) {
      const metadata = { name: `n-${index}`, uid: `u-${index}`, labels: { team: "yes" } };
      const body = { apiVersion: "v1", kind: "Namespace", metadata };
      assert.ok((await cluster.inner.call({ method: "POST", path: "/api/v1/namespaces", body })).ok);
    }
    let failures = 0;
    cluster.interfere = ({ path }) =>
      path.startsWith("/api/v1/namespaces?") && path.includes("continue=") && failures++ < 2
        ? { ok: false, status, message: "failed" }
        : undefined;
    await start({ wait: () => Promise.resolve(true) }).look();
    const made = cluster.writes.filter((write) => write.endsWith("/configmaps"));
    assert.equal(made.length, 301);
    assert.equal(new Set(made).size, 301, "each once");
  });
}

Deno.test("a new rule that generates for existing objects and synchronizes makes each object with one call", async () => {
  const { cluster, start } = setUp(
    synchronized.replaceAll("synchronize: true", "synchronize: true\n      generateExisting: true"),
  );
  for (let index = 0; index < 50; index++) {
    const metadata = { name: `n-${index}`, uid: `u-${index}`, labels: { team: "yes" } };
    const body = { apiVersion: "v1", kind: "Namespace", metadata };
    assert.ok((await cluster.inner.call({ method: "POST", path: "/api/v1/namespaces", body })).ok);
  }
  const call = cluster.call.bind(cluster);
  cluster.call = async (made) => {
    if (made.method === "POST") await new Promise((resolve) => setTimeout(resolve, 5));
    return await call(made);
  };
  await start().look();
  assert.equal(cluster.writes.filter(isPost).length, 2 * 51);
});

Deno.test("generateExisting begins again when the lists failed for a minute", async () => {
  const { cluster, start, restarted } = setUp(generatesOnce);
  cluster.interfere = ({ path }) =>
    path.startsWith("/api/v1/namespaces?") ? { ok: false, status: 500, message: "failed" } : undefined;
  const replica = start({ wait: () => Promise.resolve(true) });
  await replica.look();
  assert.deepEqual(cluster.writes, []);
  cluster.interfere = () => undefined;
  await replica.look();
  assert.deepEqual(cluster.writes.splice(0).filter(isPost).length, 2);
  await replica.look();
  assert.deepEqual(cluster.writes, []);
  assert.deepEqual(await restarted(), []);
});

Deno.test("generateExisting begins again when a replica was killed before it had generated all", async () => {
  const { cluster, start, restarted, remove } = setUp(generatesOnce);
  const killed = start({ hangs: true });
  cluster.interfere = ({ method }) =>
    method === "POST" ? { ok: false, status: undefined, message: "killed" } : undefined;
  await killed.compare();
  cluster.interfere = () => undefined;
  assert.equal((await restarted()).filter(isPost).length, 2);
  await remove(oldSettings);
  cluster.writes.length = 0;
  assert.deepEqual(await restarted(), [], "once");
});

Deno.test("mutateExistingOnPolicyUpdate goes on when a replica was killed, and adds to no target twice", async () => {
  const { cluster, start, restarted } = setUp(
    appending.replace("mutate:", "mutate:\n      mutateExistingOnPolicyUpdate: true"),
  );
  for (const name of ["blue", "grey"]) await created(cluster, name);
  const killed = start({ hangs: true });
  cluster.interfere = ({ method, path }) =>
    method === "PUT" && path.endsWith("/grey")
      ? { ok: false, status: undefined, message: "killed" }
      : undefined;
  await killed.compare();
  for (let tries = 0; tries < 200 && cluster.writes.length < 1; tries++) await pause(10);
  cluster.interfere = () => undefined;
  assert.deepEqual(cluster.writes.splice(0), [`PUT ${source.replace("regcred", "blue")}`]);
  assert.deepEqual(await restarted(), [`PUT ${source.replace("regcred", "grey")}`]);
  assert.deepEqual((await restarted()).slice(1), [], "once");
});

Deno.test("mutateExistingOnPolicyUpdate changes targets once, also after restarts", async () => {
  const { cluster, start, restarted } = setUp(
    touching.replace("mutate:", "mutate:\n      mutateExistingOnPolicyUpdate: true"),
  );
  await start().look();
  assert.deepEqual(cluster.writes, [`PUT ${source}`]);
  assert.deepEqual(await restarted(), [`PUT ${source}`]);
});

const missed = [
  ["keeps in step", synchronized],
  ["makes once", synchronized.replaceAll("synchronize: true", "synchronize: false")],
] as const;
for (const [what, text] of missed) {
  Deno.test(`what a rule ${what} is found again when the worker had no room for it`, async () => {
    const { cluster, start } = setUp(text);
    const replica = start({ maxBytes: 4_000, soon: 60_000 });
    await replica.look();
    const reviews = [];
    for (const name of ["blue", "grey", "pink"]) {
      const object = { ...blue, metadata: { ...asObject(blue["metadata"]), name } };
      const made = await cluster.inner.call({ method: "POST", path: "/api/v1/namespaces", body: object });
      assert.ok(made.ok);
      reviews.push(request(made.body as JsonObject));
    }
    assert.deepEqual(reviews.map((review) => replica.worker.add(review)), ["taken", "no room", "no room"]);
    await replica.worker.drain();
    assert.equal(await cluster.read(settings.replace("blue", "pink")), undefined);
    await replica.look();
    for (const name of ["grey", "pink"]) {
      assert.notEqual(await cluster.read(settings.replace("blue", name)), undefined, name);
    }
    assert.equal(await cluster.read(oldSettings), undefined, "only what came since then");
    await replica.close();
  });
}

Deno.test("what the worker of a replica that does not lead had no room for is looked up by the leader", async () => {
  const { cluster, start } = setUp(missed[1][1]);
  const leader = start();
  await leader.look();
  const handedOver: number[] = [];
  const other = start({
    maxBytes: 2_000,
    leads: () => false,
    handOver: (since) => void handedOver.push(since),
  });
  const made = await cluster.inner.call({ method: "POST", path: "/api/v1/namespaces", body: blue });
  assert.ok(made.ok);
  const grey = { ...blue, metadata: { ...asObject(blue["metadata"]), name: "grey" } };
  assert.equal(other.worker.add(request(grey)), "taken");
  assert.equal(other.worker.add(request(made.body as JsonObject)), "no room");
  await other.worker.drain();
  await other.close();
  assert.equal(await cluster.read(settings), undefined);
  for (const since of handedOver) leader.missedSince(since);
  await leader.look();
  assert.notEqual(await cluster.read(settings), undefined);
  assert.equal(handedOver.length, 1);
  await leader.close();
});

Deno.test("a leader that ends hands over what it missed and could not look up", async () => {
  const { cluster, start, ports } = setUp(missed[1][1]);
  const handedOver: number[] = [];
  const leader = start({
    handOver: (since) => void handedOver.push(since),
    wait: () => Promise.resolve(true),
  });
  await leader.look();
  cluster.interfere = ({ path }) =>
    path.startsWith("/api/v1/namespaces?") ? { ok: false, status: 500, message: "failed" } : undefined;
  const since = ports.clock.now();
  leader.missedSince(since);
  await leader.look();
  assert.deepEqual(handedOver, []);
  await leader.close();
  assert.deepEqual(handedOver, [since]);
});

const unanswered: Answer = { ok: false, status: undefined, message: "the request's deadline passed" };

/** Whether something was written into the collection of a path. */
function writtenTo(writes: readonly string[], path: string): boolean {
  return writes.some((write) => write.includes(path.replace(/\/[^/]*$/, "")));
}

const lost = [
  ["what a rule makes once is made when the leader was lost before it did", settings, missed[1][1]],
  ["a target is changed when the leader was lost before it did", source, touching],
] as const;
for (const [what, path, text] of lost) {
  Deno.test(what, async () => {
    const { cluster, start, ports } = setUp(text);
    const first = start();
    await first.look();
    await first.close();
    // Admitted, and stored, by a replica that was killed then.
    const made = await cluster.inner.call({ method: "POST", path: "/api/v1/namespaces", body: blue });
    assert.ok(made.ok);
    cluster.writes.length = 0;
    const second = start();
    await second.look();
    assert.deepEqual(cluster.writes, []);
    second.replicaLost(ports.clock.now());
    await second.look();
    assert.ok(writtenTo(cluster.writes, path));
    assert.equal(await cluster.read(oldSettings), undefined, "only what came since then");
    cluster.writes.length = 0;
    await second.look();
    assert.deepEqual(cluster.writes, [], "once");
    await second.close();
  });
}

const cuts: readonly (readonly [what: string, cut: (call: ApiCall) => Promise<Answer> | undefined])[] = [
  [
    "while it lists objects",
    ({ path, signal }) =>
      path.startsWith("/api/v1/namespaces?")
        ? new Promise((resolve) => signal!.addEventListener("abort", () => resolve(unanswered)))
        : undefined,
  ],
  ["between two rules", () => undefined],
  ["with an exception", ({ path }) => {
    if (path.startsWith("/api/v1/namespaces?")) throw new Error("a bug");
    return undefined;
  }],
];
for (const [what, cut] of cuts) {
  Deno.test(`a comparison that broke off ${what} goes on, because this replica leads again`, async () => {
    const { cluster, start, ports } = setUp(missed[1][1]);
    let leads = true;
    const replica = start({ leads: () => leads, resume: 1, wait: () => Promise.resolve(false) });
    await replica.look();
    assert.ok((await cluster.inner.call({ method: "POST", path: "/api/v1/namespaces", body: blue })).ok);
    const call = cluster.call.bind(cluster);
    cluster.call = (made) => {
      leads = what === "with an exception";
      return cut(made) ?? call(made);
    };
    replica.replicaLost(ports.clock.now());
    await replica.done();
    await replica.worker.drain();
    assert.ok(!await cluster.read(settings) || !await cluster.read(copy));
    cluster.call = call;
    leads = true;
    const isMade = async () => await cluster.read(settings) && await cluster.read(copy);
    for (let tries = 0; tries < 2_000 && !await isMade(); tries++) await pause(5);
    assert.ok(await isMade());
    await replica.close();
  });
}

Deno.test("a replica that does not lead any more hands over since when another was lost", async () => {
  const { start, ports } = setUp();
  const handedOver: number[] = [];
  const replica = start({ leads: () => false, handOver: (since) => void handedOver.push(since) });
  const since = ports.clock.now();
  replica.replicaLost(since);
  await replica.done();
  assert.deepEqual(handedOver, [since - 60_000]);
  await replica.close();
});

/** Each application adds to the Secret that has the trigger's name. */
const appending = touching.replace("name: regcred}]", 'name: "{{ request.object.metadata.name }}"}]').replace(
  "path: /data/seen, value: eA==",
  "path: /metadata/finalizers/-, value: example.com/seen",
);
const secretOf = (name: string): JsonObject => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name, namespace: "default", finalizers: ["example.com/first"] },
  data: { a: "eA==" },
});
/** Creates a namespace, and a Secret of that name. Returns the namespace's review. */
async function created({ inner }: WatchedCluster, name: string) {
  await inner.call({ method: "POST", path: "/api/v1/namespaces/default/secrets", body: secretOf(name) });
  const object = { ...blue, metadata: { ...asObject(blue["metadata"]), name } };
  const made = await inner.call({ method: "POST", path: "/api/v1/namespaces", body: object });
  assert.ok(made.ok);
  return request(made.body as JsonObject);
}

const unseen = [
  ["generates", synchronized.replaceAll("synchronize: true", "synchronize: false"), settings],
  ["changes", appending, source.replace("regcred", "blue")],
] as const;
for (const [what, text, path] of unseen) {
  Deno.test(`what a rule ${what} is looked up again, for the missed time alone, when the lists failed for a minute`, async () => {
    const { cluster, start } = setUp(text);
    const replica = start({ maxBytes: 4_000, soon: 60_000, wait: () => Promise.resolve(true) });
    await replica.look();
    const reviews = [await created(cluster, "grey"), await created(cluster, "blue")];
    assert.deepEqual(reviews.map((review) => replica.worker.add(review)), ["taken", "no room"]);
    await replica.worker.drain();
    cluster.writes.length = 0;
    cluster.interfere = ({ path }) =>
      path.startsWith("/api/v1/namespaces?") ? { ok: false, status: 500, message: "failed" } : undefined;
    await replica.look();
    await replica.look();
    assert.equal(cluster.writes.length, 0);
    cluster.interfere = () => undefined;
    // Time passes: what is created now has its request, and is not looked up.
    for (let second = 0; second < 200; second++) await created(cluster, `later-${second}`);
    cluster.writes.length = 0;
    await replica.look();
    assert.ok(cluster.writes.some((write) => write.includes("blue")) && writtenTo(cluster.writes, path));
    assert.ok(!cluster.writes.some((write) => write.includes("later-199")));
    cluster.writes.length = 0;
    await replica.look();
    assert.deepEqual(cluster.writes, [], "once");
    await replica.close();
  });
}

Deno.test("a target that was changed before a list broke off is not changed again when it is listed again", async () => {
  const { cluster, start } = setUp(appending);
  const replica = start({ maxBytes: 4_000, soon: 60_000, wait: () => Promise.resolve(true) });
  await replica.look();
  const reviews = [];
  for (const name of ["grey", "blue", "pink"]) reviews.push(await created(cluster, name));
  assert.deepEqual(reviews.map((review) => replica.worker.add(review)), ["taken", "no room", "no room"]);
  await replica.worker.drain();
  cluster.writes.length = 0;
  const call = cluster.inner.call.bind(cluster.inner);
  cluster.call = async (made) => {
    if (made.method !== "GET") cluster.writes.push(`${made.method} ${made.path}`);
    if (!made.path.startsWith("/api/v1/namespaces?")) return await call(made);
    if (made.path.includes("continue=")) return { ok: false, status: 500, message: "failed" };
    return await call({ ...made, path: made.path.replace("limit=250", "limit=3") });
  };
  await replica.look();
  const first = [...cluster.writes];
  assert.ok(first.length > 0 && first.length < 3, String(first));
  cluster.call = async (made) => {
    if (made.method !== "GET") cluster.writes.push(`${made.method} ${made.path}`);
    return await call(made);
  };
  await replica.look();
  assert.deepEqual(new Set(cluster.writes).size, cluster.writes.length, String(cluster.writes));
  assert.equal(cluster.writes.length, 2, "not for the one that the worker had room for");
  await replica.close();
});

Deno.test("the triggers of many objects that are gone are looked for with one list of their kind", async () => {
  const { cluster, start, remove } = setUp(synchronized.replaceAll("kinds: [Namespace]", "kinds: [Pod]"));
  const replica = start();
  await replica.look();
  const pods = [];
  for (const name of ["one", "two", "three"]) {
    await cluster.inner.call({
      method: "POST",
      path: "/api/v1/namespaces",
      body: { ...blue, metadata: { name } },
    });
    const pod = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, namespace: name, labels: { team: "yes" } },
    };
    const path = `/api/v1/namespaces/${name}/pods`;
    const made = await cluster.inner.call({ method: "POST", path, body: pod });
    assert.ok(made.ok);
    assert.equal(replica.worker.add(request(made.body as JsonObject)), "taken");
    pods.push(`${path}/${name}`);
  }
  await replica.worker.drain();
  for (const path of pods) await remove(path);
  cluster.writes.length = 0;
  const lists: string[] = [];
  cluster.interfere = ({ method, path }) => {
    if (method === "GET" && /\/pods\?/.test(path)) lists.push(path);
    return undefined;
  };
  await replica.look();
  assert.equal(cluster.writes.length, 6);
  // Two rules, each with a list of its triggers and one of those that are missing there.
  assert.equal(lists.length, 4, String(lists));
  await replica.close();
});

Deno.test("the objects of every removed rule are deleted when that is possible again, however often policies changed", async () => {
  const { cluster, start, change } = setUp("");
  const replica = start();
  const names = ["a", "b", "c", "d", "e", "f"];
  const path = (name: string) => settings.replace(/settings$/, name);
  const made = await cluster.inner.call({ method: "POST", path: "/api/v1/namespaces", body: blue });
  assert.ok(made.ok);
  cluster.interfere = ({ method }) =>
    method === "DELETE" ? { ok: false, status: 503, message: "the API server is busy" } : undefined;
  for (const name of names) {
    change(
      synchronized.replace("name: both", `name: both-${name}`).replace("name: settings", `name: ${name}`),
    );
    await replica.look();
    assert.equal(replica.worker.add(request(made.body as JsonObject)), "taken");
    await replica.worker.drain();
    assert.ok(await cluster.read(path(name)), name);
  }
  change("");
  await replica.look();
  cluster.interfere = () => undefined;
  await replica.look();
  for (const name of names) assert.equal(await cluster.read(path(name)), undefined, name);
  cluster.writes.length = 0;
  await replica.look();
  assert.equal(cluster.writes.length, 0);
  await replica.close();
});
