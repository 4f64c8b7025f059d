import assert from "node:assert/strict";
import { dig, isFault, type JsonObject } from "../../lib/json/mod.ts";
import { BackgroundWorker, carryOut, type Change, followChange, Upkeep } from "../../lib/background/mod.ts";
import { copy, keptLog, policies, portsWith, request, settings, source, synchronized } from "./setting.ts";

const objects = `
{apiVersion: v1, kind: Namespace, metadata: {name: default}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: blue, uid: u-blue, labels: {team: "yes"}}}
---
{apiVersion: v1, kind: Secret, metadata: {name: regcred, namespace: default, uid: u-source}, data: {a: eA==}}
`;

async function setUp(text = synchronized) {
  const { cluster, ports } = portsWith(objects);
  const snapshot = policies(text);
  const log = keptLog();
  const worker = new BackgroundWorker({ snapshot: () => snapshot, ports, log });
  worker.add(request((await cluster.read("/api/v1/namespaces/blue"))!));
  await worker.drain();
  /** Follows a change and carries out what it asks for; answers with the verbs. */
  const follow = async (change: Change): Promise<string[]> => {
    const effects = await followChange(change, { snapshot, ports });
    assert.ok(!isFault(effects), isFault(effects) ? effects.message : "");
    for (const effect of effects) assert.ok((await carryOut(effect, cluster)).done);
    return effects.map(({ verb }) => verb);
  };
  const remove = (path: string) => cluster.inner.call({ method: "DELETE", path });
  const replace = (path: string, body: JsonObject) => cluster.inner.call({ method: "PUT", path, body });
  const read = async (path: string): Promise<JsonObject> => (await cluster.read(path))!;
  return { cluster, ports, log, worker, snapshot, follow, remove, replace, read };
}

Deno.test("a generated object that is edited is restored", async () => {
  const { read, replace, follow } = await setUp();
  await replace(settings, { ...await read(settings), data: { color: "red", extra: "1" } });
  assert.deepEqual(await follow({ object: await read(settings), state: "present" }), ["update"]);
  assert.deepEqual((await read(settings))["data"], { color: "blue" });
  assert.deepEqual(await follow({ object: await read(settings), state: "present" }), []);
});

Deno.test("a generated object that is deleted is made again", async () => {
  const { read, remove, follow } = await setUp();
  const object = await read(settings);
  await remove(settings);
  assert.deepEqual(await follow({ object, state: "deleted" }), ["create"]);
  assert.deepEqual((await read(settings))["data"], { color: "blue" });
});

Deno.test("a downstream object under another name stays when the rule is deleted", async () => {
  const { cluster, ports, log, worker, snapshot } = await setUp();
  let current = snapshot;
  const upkeep = new Upkeep({ snapshot: () => current, ports, log, worker });
  const renamed = policies(synchronized.replace("name: settings", "name: others"));
  const others = settings.replace("settings", "others");
  for (const next of [snapshot, renamed]) {
    current = next;
    upkeep.compare();
    await upkeep.done();
  }
  const next = new BackgroundWorker({ snapshot: () => renamed, ports, log });
  next.add(request((await cluster.read("/api/v1/namespaces/blue"))!));
  await next.drain();
  assert.ok(await cluster.read(others) !== undefined);
  current = policies("");
  upkeep.compare();
  await upkeep.done();
  await upkeep.close();
  assert.deepEqual([await cluster.read(others), await cluster.read(settings) !== undefined], [
    undefined,
    true,
  ]);
});

Deno.test("a clone follows its source", async () => {
  const { read, replace, follow } = await setUp();
  await replace(source, { ...await read(source), data: { b: "eQ==" } });
  assert.deepEqual(await follow({ object: await read(source), state: "present" }), ["update"]);
  assert.deepEqual((await read(copy))["data"], { b: "eQ==" });
});

Deno.test("a clone is deleted with its source", async () => {
  const { cluster, read, remove, follow } = await setUp();
  const object = await read(source);
  await remove(source);
  assert.deepEqual(await follow({ object, state: "deleted" }), ["delete"]);
  assert.equal(await cluster.read(copy), undefined);
});

Deno.test("an edited downstream object stays edited when its trigger no longer matches or was replaced", async () => {
  const { cluster, read, replace, follow } = await setUp();
  const object = await read(settings);
  const { team: _, ...labels } = dig(
    await read("/api/v1/namespaces/blue"),
    "metadata",
    "labels",
  ) as JsonObject;
  const namespace = await read("/api/v1/namespaces/blue");
  await replace("/api/v1/namespaces/blue", {
    ...namespace,
    metadata: { ...namespace["metadata"] as JsonObject, labels },
  });
  // The rule says nothing about the object any more, so an edit of it stays.
  assert.deepEqual(await follow({ object, state: "present" }), []);
  await cluster.inner.call({ method: "DELETE", path: "/api/v1/namespaces/blue" });
  await cluster.inner.call({
    method: "POST",
    path: "/api/v1/namespaces",
    body: { metadata: { name: "blue" } },
  });
  assert.deepEqual(await follow({ object, state: "deleted" }), []);
});

Deno.test("an edit of an object that was generated for a deletion stays", async () => {
  const { cluster, ports, log, read, replace } = await setUp("");
  const snapshot = policies(
    synchronized.replaceAll("kinds: [Namespace]", "kinds: [Namespace], operations: [DELETE]")
      .replaceAll('namespace: "{{ request.object.metadata.name }}"', "namespace: default"),
  );
  const trigger = await read("/api/v1/namespaces/blue"), made = settings.replace("blue", "default");
  await cluster.inner.call({ method: "DELETE", path: "/api/v1/namespaces/blue" });
  const worker = new BackgroundWorker({ snapshot: () => snapshot, ports, log });
  worker.add(request(trigger, { operation: "DELETE" }));
  await worker.drain();
  const object = await read(made);
  await replace(made, { ...object, data: { color: "red" } });
  assert.deepEqual(await followChange({ object, state: "present" }, { snapshot, ports }), []);
});

Deno.test("the worker leaves objects that no rule generated, and those of unknown rules, alone", async () => {
  const { read, follow } = await setUp();
  assert.deepEqual(await follow({ object: await read("/api/v1/namespaces/blue"), state: "present" }), []);
  const object = await read(settings);
  const metadata = object["metadata"] as JsonObject;
  const labels = { ...metadata["labels"] as JsonObject, "generate.kyverno.io/rule-name": "other" };
  assert.deepEqual(
    await follow({ object: { ...object, metadata: { ...metadata, labels } }, state: "deleted" }),
    [],
  );
});

Deno.test("a rule that does not synchronize restores nothing", async () => {
  const { read, remove, follow } = await setUp(
    synchronized.replaceAll("synchronize: true", "synchronize: false"),
  );
  const object = await read(settings);
  await remove(settings);
  assert.deepEqual(await follow({ object, state: "deleted" }), []);
});
