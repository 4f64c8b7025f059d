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

/** The same settings as a policy in CEL. */
const generating = `
apiVersion: policies.kyverno.io/v1
kind: GeneratingPolicy
metadata: {name: settings}
spec:
  evaluation: {synchronize: {enabled: true}}
  matchConstraints:
    resourceRules:
    - {apiGroups: [""], apiVersions: [v1], resources: [namespaces], operations: [CREATE, UPDATE]}
  generate:
  - expression: >-
      generator.Apply(object.metadata.name, [{"apiVersion": dyn("v1"), "kind": dyn("ConfigMap"),
      "metadata": dyn({"name": "settings"}), "data": dyn({"color": "blue"})}])
`;

Deno.test("an edited object of a GeneratingPolicy is restored, and a deleted one made again", async () => {
  const { read, replace, remove, follow } = await setUp(generating);
  const object = await read(settings);
  await replace(settings, { ...object, data: { color: "red" } });
  // The request has the object as it was.
  assert.deepEqual(await follow({ object, state: "present" }), ["apply"]);
  assert.equal(dig(await read(settings), "data", "color"), "blue");
  assert.deepEqual(await follow({ object, state: "present" }), []);
  await remove(settings);
  assert.deepEqual(await follow({ object, state: "deleted" }), ["apply"]);
  assert.equal(dig(await read(settings), "data", "color"), "blue");
});

/** The same copy as a policy in CEL. */
const copying = generating.replace(
  /- expression: >-[^]*$/,
  `- expression: generator.Apply(object.metadata.name, [resource.Get("v1", "secrets", "default", "regcred")])\n`,
);

Deno.test("a clone of a GeneratingPolicy follows its source, and is deleted with it", async () => {
  const { read, cluster, replace, remove, follow } = await setUp(copying);
  assert.deepEqual((await read(copy))["data"], { a: "eA==" });
  assert.equal(dig(await read(copy), "metadata", "labels", "generate.kyverno.io/source-uid"), "u-source");
  const marked = await read(source);
  assert.equal(dig(marked, "metadata", "labels", "generate.kyverno.io/clone-source"), "");
  await replace(source, { ...marked, data: { a: "Yg==" } });
  assert.deepEqual(await follow({ object: marked, state: "present" }), ["apply"]);
  assert.deepEqual((await read(copy))["data"], { a: "Yg==" });
  await remove(source);
  assert.deepEqual(await follow({ object: marked, state: "deleted" }), ["delete"]);
  assert.equal(await cluster.read(copy), undefined);
});

Deno.test("a source of a GeneratingPolicy that does not synchronize gets no label", async () => {
  const { read } = await setUp(copying.replace("enabled: true", "enabled: false"));
  assert.deepEqual((await read(copy))["data"], { a: "eA==" });
  assert.equal(dig(await read(source), "metadata", "labels"), undefined);
});

Deno.test("a change of a trigger restores the object that a GeneratingPolicy applies server-side", async () => {
  const nosync = generating.replace("enabled: true", "enabled: false");
  for (
    const [text, color] of [[nosync, "red"], [
      nosync.replace("spec:", "spec:\n  useServerSideApply: true"),
      "blue",
    ]] as const
  ) {
    const { read, replace, worker } = await setUp(text);
    await replace(settings, { ...await read(settings), data: { color: "red" } });
    worker.add(request(await read("/api/v1/namespaces/blue"), { operation: "UPDATE" }));
    await worker.drain();
    assert.equal(dig(await read(settings), "data", "color"), color);
  }
});

Deno.test("a GeneratingPolicy that does not synchronize restores nothing", async () => {
  const { read, replace, follow } = await setUp(generating.replace("enabled: true", "enabled: false"));
  await replace(settings, { ...await read(settings), data: { color: "red" } });
  assert.deepEqual(await follow({ object: await read(settings), state: "present" }), []);
});

Deno.test("an object of a GeneratingPolicy is deleted when its trigger no longer meets the match conditions", async () => {
  const optional = generating.replace(
    "  generate:",
    "  matchConditions: [{name: team, expression: 'has(object.metadata.labels.team)'}]\n  generate:",
  );
  for (
    const [text, left] of [[optional, false], [
      optional.replace("enabled: true", "enabled: false"),
      true,
    ]] as const
  ) {
    const { cluster, read, replace, worker } = await setUp(text);
    const path = "/api/v1/namespaces/blue", oldObject = await read(path);
    const { labels: _labels, ...metadata } = oldObject["metadata"] as JsonObject;
    await replace(path, { ...oldObject, metadata });
    worker.add(request(await read(path), { operation: "UPDATE", oldObject }));
    await worker.drain();
    assert.equal(await cluster.read(settings) !== undefined, left);
  }
});

Deno.test("the downstream objects of a GeneratingPolicy are deleted with it, unless it orphans them", async () => {
  const orphans = "evaluation: {orphanDownstreamOnPolicyDelete: {enabled: true}, ";
  for (
    const [text, left] of [[generating, false], [generating.replace("evaluation: {", orphans), true]] as const
  ) {
    const { cluster, ports, log, worker, snapshot } = await setUp(text);
    let current = snapshot;
    const upkeep = new Upkeep({ snapshot: () => current, ports, log, worker });
    for (const next of [snapshot, policies("")]) {
      current = next;
      upkeep.look();
      await upkeep.done();
    }
    await upkeep.close();
    assert.equal(await cluster.read(settings) !== undefined, left);
  }
});

Deno.test("a downstream object under another name stays when the rule is deleted", async () => {
  const { cluster, ports, log, worker, snapshot } = await setUp();
  let current = snapshot;
  const upkeep = new Upkeep({ snapshot: () => current, ports, log, worker });
  const renamed = policies(synchronized.replace("name: settings", "name: others"));
  const others = settings.replace("settings", "others");
  for (const next of [snapshot, renamed]) {
    current = next;
    upkeep.look();
    await upkeep.done();
  }
  const next = new BackgroundWorker({ snapshot: () => renamed, ports, log });
  next.add(request((await cluster.read("/api/v1/namespaces/blue"))!));
  await next.drain();
  assert.ok(await cluster.read(others) !== undefined);
  current = policies("");
  upkeep.look();
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
