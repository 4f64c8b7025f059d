import assert from "node:assert/strict";
import { dig, heapSize, type JsonObject } from "../../lib/json/mod.ts";
import { addPosternUsername, BackgroundWorker } from "../../lib/background/mod.ts";
import type { BackgroundOptions, WorkOutcome } from "../../lib/background/mod.ts";
import { pause } from "../../lib/pause.ts";
import { keptLog, policies, portsWith, request } from "./setting.ts";

const quota = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: quotas}
spec:
  rules:
  - name: quota
    match: {any: [{resources: {kinds: [Namespace]}}]}
    generate:
      synchronize: true
      apiVersion: v1
      kind: ResourceQuota
      name: default-quota
      namespace: "{{ request.object.metadata.name }}"
      data: {spec: {hard: {pods: "10"}}}
`;
const pullSecret = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: pull}
spec:
  rules:
  - name: clone
    match: {any: [{resources: {kinds: [Namespace]}}]}
    generate:
      synchronize: true
      apiVersion: v1
      kind: Secret
      name: regcred
      namespace: "{{ request.object.metadata.name }}"
      clone: {namespace: default, name: regcred}
`;
const touch = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: touch}
spec:
  rules:
  - name: targets
    match: {any: [{resources: {kinds: [ConfigMap], names: [trigger]}}]}
    mutate:
      targets:
      - {apiVersion: v1, kind: Secret, namespace: default, name: "t*"}
      patchesJson6902: |-
        - {op: add, path: /data/seen, value: eA==}
`;
const team: JsonObject = { apiVersion: "v1", kind: "Namespace", metadata: { name: "team", uid: "u-team" } };
const quotaPath = "/api/v1/namespaces/team/resourcequotas/default-quota";
const teamNamespace = `
{apiVersion: v1, kind: Namespace, metadata: {name: default}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: team, uid: u-team}}
`;

function setUp(
  policy: string,
  { objects = teamNamespace, ...options }: Partial<BackgroundOptions> & { objects?: string } = {},
) {
  const { cluster, ports } = portsWith(objects);
  const log = keptLog();
  const snapshot = policies(policy);
  const waits: number[] = [];
  const wait = (milliseconds: number): Promise<void> => (waits.push(milliseconds), Promise.resolve());
  const worker = new BackgroundWorker({ snapshot: () => snapshot, ports, log, wait, ...options });
  return { cluster, log, worker, waits };
}

Deno.test("the worker makes the objects of a generate rule", async () => {
  const { cluster, worker } = setUp(quota);
  assert.equal(worker.add(request(team)), "taken");
  assert.deepEqual(cluster.writes, [], "nothing is done before the answer");
  await worker.drain();
  const made = await cluster.read(quotaPath);
  assert.deepEqual(dig(made, "spec", "hard"), { pods: "10" });
  assert.equal(dig(made, "metadata", "labels", "generate.kyverno.io/trigger-uid"), "u-team");
  assert.equal(dig(made, "metadata", "labels", "app.kubernetes.io/managed-by"), "kyverno");
});

Deno.test("the worker does nothing for a dry run, nor twice for one request", async () => {
  const { cluster, worker } = setUp(quota);
  assert.equal(worker.add(request(team, { dryRun: true })), "no work");
  assert.equal(worker.add(request(team, { uid: "one" })), "taken");
  assert.equal(worker.add(request(team, { uid: "one" })), "no work");
  await worker.drain();
  assert.equal(worker.add(request(team, { uid: "one" })), "no work");
  assert.deepEqual(cluster.writes, ["POST /api/v1/namespaces/team/resourcequotas"]);
});

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
    worked: ({ state }) => (states.push(state), true),
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
      worked: () => false,
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

Deno.test("the worker leaves correct objects alone and restores changed ones", async () => {
  const { cluster, worker } = setUp(quota);
  worker.add(request(team));
  await worker.drain();
  worker.add(request(team));
  await worker.drain();
  assert.equal(cluster.writes.length, 1);
  const made = await cluster.read(quotaPath);
  await cluster.inner.call({
    method: "PUT",
    path: quotaPath,
    body: { ...made, spec: { hard: { pods: "999" } } },
  });
  worker.add(request(team));
  await worker.drain();
  assert.deepEqual(dig(await cluster.read(quotaPath), "spec", "hard"), { pods: "10" });
});

Deno.test("the worker deletes the downstream objects of a deleted trigger", async () => {
  const { cluster, worker } = setUp(quota);
  worker.add(request(team));
  await worker.drain();
  worker.add(request(team, { operation: "DELETE" }));
  await worker.drain();
  assert.equal(await cluster.read(quotaPath), undefined);
  assert.equal(cluster.writes.at(-1), `DELETE ${quotaPath}`);
});

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
  const outcomes: WorkOutcome[] = [];
  const { worker, waits, log } = setUp(named.replace("{NAME}", "t3"), {
    objects: secrets,
    firstDelay: 100,
    worked: (outcome) => void outcomes.push(outcome),
  });
  worker.add(request(trigger));
  await worker.drain();
  assert.deepEqual(waits, [100, 200, 400, 800]);
  assert.deepEqual(log.lines.filter((line) => !line.startsWith("debug")), []);
  assert.deepEqual(
    outcomes.map(({ state, failures }) => [state, failures.map(({ nothingToDo }) => nothingToDo)]),
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

const secrets = `
apiVersion: v1
kind: Secret
metadata: {name: t1, namespace: default}
data: {a: eA==}
---
apiVersion: v1
kind: Secret
metadata: {name: t2, namespace: default}
data: {a: eA==}
`;
const trigger: JsonObject = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "trigger", namespace: "default" },
};

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

Deno.test("the worker evaluates a rule for a deletion only if the rule matches deletions", async () => {
  const deletion = request(trigger, { operation: "DELETE" });
  const quiet = setUp(touch, { objects: secrets });
  quiet.worker.add(deletion);
  await quiet.worker.drain();
  assert.deepEqual(quiet.cluster.writes, []);
  const eager = setUp(touch.replace("names: [trigger]", "names: [trigger], operations: [DELETE]"), {
    objects: secrets,
  });
  eager.worker.add(deletion);
  await eager.worker.drain();
  assert.equal(eager.cluster.writes.length, 2);
});

Deno.test("the worker does not evaluate rules for its changes unless skipBackgroundRequests is false", async () => {
  const fromUser = request(trigger, { requester: { username: "me", groups: [] } });
  const usual = setUp(touch, { objects: secrets, actors: new Set(["me"]) });
  usual.worker.add(fromUser);
  await usual.worker.drain();
  assert.deepEqual(usual.cluster.writes, []);
  const unskipped = setUp(
    touch.replace("- name: targets", "- name: targets\n    skipBackgroundRequests: false"),
    {
      objects: secrets,
      actors: new Set(["me"]),
    },
  );
  unskipped.worker.add(fromUser);
  await unskipped.worker.drain();
  assert.equal(unskipped.cluster.writes.length, 2);
});

Deno.test("the worker reads its username from the cluster", async () => {
  const { cluster } = portsWith(""), names = new Set<string>(), log = keptLog();
  await addPosternUsername(names, { cluster, log });
  assert.deepEqual([[...names], log.lines], [["postern"], []]);
});

Deno.test("a username that was not read is in the log, and read later", async () => {
  const { cluster } = portsWith(""), names = new Set<string>(), log = keptLog();
  const { signal } = new AbortController();
  let calls = 0;
  cluster.interfere = () => ++calls < 3 ? { ok: false, status: 503, message: "it starts" } : undefined;
  await addPosternUsername(names, { cluster, log, signal, wait: () => Promise.resolve(true) });
  while (names.size === 0) await new Promise((resolve) => setTimeout(resolve));
  assert.deepEqual([...names], ["postern"]);
  assert.match(log.lines.join("\n"), /^warn Postern's user name was not read[^\n]*$/);
});

Deno.test("an API server that does not say usernames is no failure", async () => {
  const { cluster } = portsWith(""), names = new Set<string>(), log = keptLog();
  cluster.interfere = () => ({ ok: false, status: 404, message: "not served" });
  await addPosternUsername(names, { cluster, log });
  assert.deepEqual([names.size, log.lines], [0, []]);
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

Deno.test("webhooks of two groups of policies have the effects of both, each once", async () => {
  const other = touch.replace("name: touch", "name: other").replace("spec:", "spec:\n  failurePolicy: Ignore")
    .replace("/data/seen", "/data/other");
  const { cluster, worker } = setUp(`${touch}---${other}`, { objects: secrets });
  const twice = request(trigger);
  for (const failurePolicy of ["Fail", "Ignore", "Fail"] as const) {
    worker.add(twice, { route: { failurePolicy } });
    await worker.drain();
  }
  assert.equal(cluster.writes.length, 4);
  const secret = await cluster.read("/api/v1/namespaces/default/secrets/t1");
  assert.deepEqual(secret?.["data"], { a: "eA==", seen: "eA==", other: "eA==" });
});

Deno.test("the worker waits until a trigger is stored, and does nothing for one that is not", async () => {
  const { cluster, worker, waits } = setUp(quota, { triggers: "as-stored", objects: "", attempts: 3 });
  worker.add(request(team));
  await worker.drain();
  assert.equal(waits.length, 2);
  assert.deepEqual(cluster.writes, []);
  await cluster.inner.call({ method: "POST", path: "/api/v1/namespaces", body: team });
  const stored = (await cluster.read("/api/v1/namespaces/team"))!;
  worker.add(request(stored));
  await worker.drain();
  const made = await cluster.read(quotaPath);
  const uid = dig(stored, "metadata", "uid");
  assert.equal(dig(made, "metadata", "labels", "generate.kyverno.io/trigger-uid"), uid);
});

Deno.test("the worker restores a generated object after a request that edits it is stored", async () => {
  const stored = team as { metadata: JsonObject };
  const { cluster, worker, waits } = setUp(quota, {
    triggers: "as-stored",
    actors: new Set(["postern"]),
    wait: async () => {
      waits.push(0);
      // The edit comes to be after the worker looked for it once.
      const body = { ...edited, metadata: { ...edited["metadata"] as JsonObject, resourceVersion: "" } };
      if (waits.length === 1) await cluster.inner.call({ method: "PUT", path: quotaPath, body });
    },
  });
  worker.add(request(stored));
  await worker.drain();
  const made = (await cluster.read(quotaPath))!;
  const edited: JsonObject = { ...made, spec: { hard: { pods: "999" } } };
  const edit = request(edited, { operation: "UPDATE", oldObject: made });
  const fromUser = { ...edit, uid: "own", requester: { username: "postern", groups: [] } };
  assert.equal(worker.add(fromUser), "no work", "own edits are not followed");
  assert.equal(worker.add(edit), "taken");
  await worker.drain();
  assert.equal(waits.length, 1);
  assert.deepEqual(dig(await cluster.read(quotaPath), "spec", "hard"), { pods: "10" });
});

Deno.test("an object that another program changes for ever is corrected 20 times, then every five seconds", async () => {
  const { cluster, ports } = portsWith(teamNamespace);
  const log = keptLog(), snapshot = policies(quota);
  let now = 1_700_000_000_000, resume = (): void => {};
  const waits: number[] = [];
  const wait = (milliseconds: number): Promise<void> => {
    waits.push(milliseconds);
    return new Promise((resolve) => resume = resolve);
  };
  const stands = { ...ports, clock: { now: () => now } };
  const triggers = "as-stored";
  const worker = new BackgroundWorker({ snapshot: () => snapshot, ports: stands, log, wait, triggers });
  worker.add(request((await cluster.read("/api/v1/namespaces/team"))!));
  await worker.drain();
  const made = (await cluster.read(quotaPath))!;
  const pods = async () => dig(await cluster.read(quotaPath), "spec", "hard", "pods");
  const idle = () => new Promise((resolve) => setTimeout(resolve, 5));
  let edits = 0;
  const edit = async (): Promise<void> => {
    const spec = { hard: { pods: `${++edits + 100}` } };
    const body = { ...made, spec, metadata: { ...made["metadata"] as JsonObject, resourceVersion: "" } };
    const oldObject = (await cluster.read(quotaPath))!;
    assert.ok((await cluster.inner.call({ method: "PUT", path: quotaPath, body })).ok);
    const requester = { username: "argo", groups: [] };
    worker.add(request({ ...oldObject, spec }, { operation: "UPDATE", oldObject, requester }));
    await idle();
  };
  cluster.writes.length = 0;
  while (edits < 40) await edit();
  assert.equal(cluster.writes.length, 20);
  assert.deepEqual([await pods(), waits, worker.waiting], ["140", [5_000], 1]);
  now += 5_000;
  resume();
  await idle();
  assert.deepEqual([await pods(), worker.waiting], ["10", 0], "nothing is left different");
  await edit();
  assert.deepEqual([cluster.writes.length, waits], [21, [5_000, 5_000]]);
  const said = log.lines.filter((line) => line.includes("changed again and again"));
  assert.deepEqual(said, ["warn a generated object is changed again and again"]);
});

Deno.test("a worker that may not read triggers does nothing for them, and names the missing right", async () => {
  const { cluster, worker, waits, log } = setUp(quota, { triggers: "as-stored" });
  cluster.interfere = ({ path }) =>
    path.endsWith("/namespaces/team") ? { ok: false, status: 403, message: "forbidden" } : undefined;
  worker.add(request(team));
  await worker.drain();
  assert.deepEqual([cluster.writes, waits], [[], []]);
  assert.ok(log.lines.includes("error effects given up"));
});

Deno.test("the worker makes a deleted downstream object again", async () => {
  const { cluster, worker } = setUp(quota, { triggers: "as-stored" });
  worker.add(request(team));
  await worker.drain();
  const made = (await cluster.read(quotaPath))!;
  await cluster.inner.call({ method: "DELETE", path: quotaPath });
  worker.add(request(made, { operation: "DELETE" }));
  await worker.drain();
  assert.notEqual(await cluster.read(quotaPath), undefined);
});

Deno.test("a deletion that another webhook denies deletes no downstream objects", async () => {
  const { cluster, worker, log } = setUp(quota, { triggers: "as-stored", attempts: 2 });
  worker.add(request((await cluster.read("/api/v1/namespaces/team"))!));
  await worker.drain();
  worker.add(request((await cluster.read("/api/v1/namespaces/team"))!, { operation: "DELETE" }));
  await worker.drain();
  assert.notEqual(await cluster.read(quotaPath), undefined);
  assert.ok(log.lines.includes("debug effects given up"));
});

Deno.test("server-side apply writes only the fields of the rule", async () => {
  const { cluster, worker } = setUp(
    quota.replace("spec:\n  rules", "spec:\n  useServerSideApply: true\n  rules"),
  );
  worker.add(request(team));
  await worker.drain();
  assert.deepEqual(cluster.writes, [`PATCH ${quotaPath}?fieldManager=kyverno-generate&force=true`]);
  const made = await cluster.read(quotaPath);
  const changed = { ...made, metadata: { ...made!["metadata"] as JsonObject, annotations: { by: "hand" } } };
  await cluster.inner.call({ method: "PUT", path: quotaPath, body: changed });
  worker.add(request(team));
  await worker.drain();
  assert.equal(cluster.writes.length, 1, "a field that somebody else added is no difference");
});

Deno.test("a closed worker accepts no requests", async () => {
  const { cluster, worker } = setUp(quota);
  worker.add(request(team));
  await worker.close();
  assert.equal(worker.add(request(team)), "no room");
  assert.deepEqual(cluster.writes, []);
});

Deno.test("an object with a random name is made once, also when the rule is evaluated again after a look-up", async () => {
  const random = quota.replace("name: default-quota", "name: \"quota-{{ random('[a-z]{12}') }}\"")
    .replace("synchronize: true", "synchronize: false");
  const { cluster, worker } = setUp(random);
  worker.add(request(team));
  await worker.drain();
  assert.deepEqual(cluster.writes, ["POST /api/v1/namespaces/team/resourcequotas"]);
});

Deno.test("the worker reports that a request's effects fail, and later that they are done", async () => {
  const outcomes: WorkOutcome[] = [];
  const { cluster, worker } = setUp(quota, { worked: (outcome) => void outcomes.push(outcome) });
  let refusals = 4;
  cluster.interfere = ({ method }) =>
    method === "POST" && refusals-- > 0 ? { ok: false, status: 503, message: "not now" } : undefined;
  worker.add(request(team));
  await worker.drain();
  assert.deepEqual(outcomes.map(({ state, failures }) => [state, failures[0]?.message]), [
    ["failing", "not now"],
    ["done", undefined],
  ]);
  assert.deepEqual(outcomes[0]?.failures[0]?.by, { policy: "quotas", rule: "quota" });
  assert.deepEqual(outcomes[1]?.carried.map(({ object }) => dig(object, "kind")), ["ResourceQuota"]);
});
