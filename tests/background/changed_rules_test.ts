/** Objects follow their rule when it is changed or removed. */
import assert from "node:assert/strict";
import { dig, type JsonObject } from "../../lib/json/mod.ts";
import { copy, request, settings, synchronized } from "./setting.ts";
import { blue, bluePath, oldSettings, setUp, touching } from "./upkeep_setting.ts";

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
