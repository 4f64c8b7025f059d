import assert from "node:assert/strict";
import { dig, type JsonObject } from "../../lib/json/mod.ts";
import {
  away,
  awaySettings,
  blue,
  colored,
  copying,
  generating,
  labelledAs,
  ofBlue,
  setUp,
} from "./generating_setting.ts";
import { copy, settings, source } from "./setting.ts";

Deno.test("an edited object of a GeneratingPolicy is restored, and a deleted one made again", async () => {
  const { read, replace, remove, follow } = await setUp(generating);
  const object = await read(settings);
  await replace(settings, { ...object, data: { color: "red" } });
  // The request has the object as it was.
  assert.deepEqual(await follow({ object, state: "present" }), ["update"]);
  assert.equal(dig(await read(settings), "data", "color"), "blue");
  assert.deepEqual(await follow({ object, state: "present" }), []);
  await remove(settings);
  assert.deepEqual(await follow({ object, state: "deleted" }), ["create"]);
  assert.equal(dig(await read(settings), "data", "color"), "blue");
});

Deno.test("an edited object of a GeneratingPolicy loses what was added", async () => {
  const { read, replace, follow } = await setUp(generating);
  const object = await read(settings), labels = dig(object, "metadata", "labels") as JsonObject;
  await replace(settings, {
    ...labelledAs(object, { ...labels, added: "label" }),
    data: { color: "blue", added: "key" },
  });
  assert.deepEqual(await follow({ object, state: "present" }), ["update"]);
  const restored = await read(settings);
  assert.deepEqual([restored["data"], dig(restored, "metadata", "labels")], [{ color: "blue" }, labels]);
});

Deno.test("an object of a GeneratingPolicy keeps the finalizers and owners that others gave it", async () => {
  const { read, replace, follow } = await setUp(generating);
  const object = await read(settings), metadata = object["metadata"] as JsonObject;
  const given = { finalizers: ["example.com/a"], ownerReferences: [{ kind: "Secret", name: "a", uid: "u" }] };
  await replace(settings, { ...object, metadata: { ...metadata, ...given } });
  assert.deepEqual(await follow({ object, state: "present" }), []);
  await replace(settings, colored(await read(settings), "red"));
  assert.deepEqual(await follow({ object, state: "present" }), ["update"]);
  const { finalizers, ownerReferences } = (await read(settings))["metadata"] as JsonObject;
  assert.deepEqual({ finalizers, ownerReferences }, given);
});

Deno.test("a clone of a GeneratingPolicy follows its source, and is deleted with it", async () => {
  const { read, cluster, replace, remove, follow } = await setUp(copying);
  assert.deepEqual((await read(copy))["data"], { a: "eA==" });
  assert.equal(dig(await read(copy), "metadata", "labels", "generate.kyverno.io/source-uid"), "u-source");
  const marked = await read(source);
  assert.equal(dig(marked, "metadata", "labels", "generate.kyverno.io/clone-source"), "");
  await replace(source, { ...marked, data: { a: "Yg==" } });
  assert.deepEqual(await follow({ object: marked, state: "present" }), ["update"]);
  assert.deepEqual((await read(copy))["data"], { a: "Yg==" });
  await remove(source);
  assert.deepEqual(await follow({ object: marked, state: "deleted" }), ["delete"]);
  assert.equal(await cluster.read(copy), undefined);
});

Deno.test("a source of a GeneratingPolicy that does not synchronize gets no label", async () => {
  const { read } = await setUp(copying.replace("enabled: true", "enabled: false"));
  assert.deepEqual((await read(copy))["data"], { a: "eA==" });
  assert.deepEqual(dig(await read(source), "metadata", "labels"), { app: "web" });
});

Deno.test("a change of a trigger restores the object that a GeneratingPolicy applies server-side", async () => {
  const nosync = generating.replace("enabled: true", "enabled: false");
  for (
    const [text, color] of [[nosync, "red"], [
      nosync.replace("spec:", "spec:\n  useServerSideApply: true"),
      "blue",
    ]] as const
  ) {
    const { read, replace, updated } = await setUp(text);
    await replace(settings, colored(await read(settings), "red"));
    await updated(blue, (object) => labelledAs(object, { team: "other" }));
    assert.equal(dig(await read(settings), "data", "color"), color);
  }
});

Deno.test("a GeneratingPolicy that does not synchronize restores nothing", async () => {
  const { read, replace, follow } = await setUp(generating.replace("enabled: true", "enabled: false"));
  await replace(settings, { ...await read(settings), data: { color: "red" } });
  assert.deepEqual(await follow({ object: await read(settings), state: "present" }), []);
});

/** The policy with data that only the request of a trigger has. */
const byUser = away.replace('"color": "blue"', '"color": request.userInfo.username');
const guessing = away.replace('"color": "blue"', '"color": request.?userInfo.?username.orValue("nobody")');

for (const [what, policy] of Object.entries({ byUser, guessing })) {
  Deno.test(`an object that depends on the request of its trigger is restored as it was: ${what}`, async () => {
    const { cluster, read, replace, remove, follow, changeTo, removed } = await setUp(policy);
    const object = await read(awaySettings), labels = dig(object, "metadata", "labels");
    assert.deepEqual(object["data"], { color: "jane" });
    await changeTo();
    await replace(awaySettings, { ...labelledAs(object, {}), data: { color: "red", added: "key" } });
    assert.deepEqual(await follow({ object, state: "present" }), ["update"]);
    const restored = await read(awaySettings);
    assert.deepEqual([restored["data"], dig(restored, "metadata", "labels")], [{ color: "jane" }, labels]);
    assert.deepEqual(await follow({ object, state: "present" }), []);
    await remove(awaySettings);
    assert.deepEqual(await follow({ object: restored, state: "deleted" }), ["create"]);
    assert.deepEqual((await read(awaySettings))["data"], { color: "jane" });
    await changeTo();
    assert.deepEqual((await read(awaySettings))["data"], { color: "jane" });
    await removed(blue);
    assert.equal(await cluster.read(awaySettings), undefined);
  });
}

Deno.test("an object that depends on the request of its trigger is not restored without proof", async () => {
  const { cluster, read, replace, remove, follow, versions } = await setUp(byUser);
  const object = await read(awaySettings);
  const forged = { ...object, data: { color: "forged" } };
  await replace(awaySettings, colored(object, "red"));
  const former = versions.get(String(dig(object, "metadata", "resourceVersion")))!;
  const claims: Readonly<Record<string, JsonObject | undefined>> = {
    "the API server remembers no such version": undefined,
    "the version is that of another object": {
      ...former,
      metadata: { ...former["metadata"] as JsonObject, uid: "u" },
    },
    "nobody generated the version": labelledAs(former, {}),
  };
  for (const [why, version] of Object.entries(claims)) {
    versions.clear();
    if (version !== undefined) versions.set(String(dig(object, "metadata", "resourceVersion")), version);
    assert.deepEqual(await follow({ object: forged, state: "present" }), [], why);
  }
  versions.set(String(dig(object, "metadata", "resourceVersion")), former);
  // Another object of the name has come since.
  await remove(awaySettings);
  const { uid: _uid, resourceVersion: _version, ...metadata } = object["metadata"] as JsonObject;
  const path = awaySettings.replace("/settings", "");
  await cluster.inner.call({ method: "POST", path, body: { ...forged, metadata } });
  assert.deepEqual(await follow({ object, state: "present" }), []);
  assert.deepEqual(await follow({ object, state: "deleted" }), []);
  assert.equal(dig(await read(awaySettings), "data", "color"), "forged");
});

Deno.test("an object of a GeneratingPolicy that loses its labels is restored", async () => {
  const { read, replace, follow } = await setUp(generating);
  const object = await read(settings);
  await replace(settings, { ...labelledAs(object, { app: "mine" }), data: { color: "red" } });
  assert.deepEqual(await follow({ object, state: "present" }), ["update"]);
  const restored = await read(settings);
  assert.deepEqual([restored["data"], dig(restored, "metadata", "labels")], [{ color: "blue" }, ofBlue]);
});

Deno.test("an object is restored also when its policy cannot be evaluated", async () => {
  const reading = generating.replace('"blue"', 'resource.Get("v1", "secrets", "default", "regcred").data.a');
  const { read, replace, remove, follow } = await setUp(reading);
  const object = await read(settings);
  await remove(source);
  await replace(settings, colored(object, "red"));
  assert.deepEqual(await follow({ object, state: "present" }), ["update"]);
  assert.equal(dig(await read(settings), "data", "color"), "eA==");
});

Deno.test("a clone whose trigger had conditions on its request follows its source", async () => {
  const policy = copying.replace(
    "  generate:",
    "  matchConditions: [{name: jane, expression: 'request.userInfo.username == \"jane\"'}]\n  generate:",
  );
  const { read, replace, remove, follow, cluster, changeTo } = await setUp(policy);
  const marked = await read(source), labels = dig(await read(copy), "metadata", "labels");
  await replace(source, { ...marked, data: { a: "Yg==" } });
  assert.deepEqual(await follow({ object: marked, state: "present" }), ["update"]);
  const clone = await read(copy);
  assert.deepEqual([clone["data"], dig(clone, "metadata", "labels")], [{ a: "Yg==" }, labels]);
  await changeTo();
  assert.ok(await cluster.read(copy));
  await remove(source);
  await changeTo();
  assert.equal(await cluster.read(copy), undefined);
});

Deno.test("a comparison keeps what a policy about an operation generated", async () => {
  const policy = generating.replace(
    "  generate:",
    "  matchConditions: [{name: update, expression: 'request.operation == \"UPDATE\"'}]\n  generate:",
  );
  const { cluster, updated, changeTo } = await setUp(policy);
  await updated(blue, (object) => labelledAs(object, { team: "other" }));
  assert.ok(await cluster.read(settings));
  await changeTo();
  assert.ok(await cluster.read(settings));
});

Deno.test("what a GeneratingPolicy made for a trigger without uid is restored", async () => {
  const { read, replace, review, follow, changeTo } = await setUp(away, { reviewed: false });
  const { uid: _uid, ...metadata } = (await read(blue))["metadata"] as JsonObject;
  await review({ ...await read(blue), metadata });
  const object = await read(awaySettings);
  assert.equal(dig(object, "metadata", "labels", "generate.kyverno.io/trigger-uid"), "");
  await replace(awaySettings, colored(object, "red"));
  assert.deepEqual(await follow({ object, state: "present" }), ["update"]);
  await changeTo();
  assert.equal(dig(await read(awaySettings), "data", "color"), "blue");
});
