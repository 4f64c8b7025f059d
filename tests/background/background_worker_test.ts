/** The worker carries out effects, and corrects what others change. */
import assert from "node:assert/strict";
import { dig, type JsonObject } from "../../lib/json/mod.ts";
import { BackgroundWorker } from "../../lib/background/mod.ts";
import { keptLog, policies, portsWith, request } from "./setting.ts";
import { quota, quotaPath, secrets, setUp, team, teamNamespace, touch, trigger } from "./worker_setting.ts";

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

Deno.test("an object with a random name is made once, also when the rule is evaluated again after a look-up", async () => {
  const random = quota.replace("name: default-quota", "name: \"quota-{{ random('[a-z]{12}') }}\"")
    .replace("synchronize: true", "synchronize: false");
  const { cluster, worker } = setUp(random);
  worker.add(request(team));
  await worker.drain();
  assert.deepEqual(cluster.writes, ["POST /api/v1/namespaces/team/resourcequotas"]);
});
