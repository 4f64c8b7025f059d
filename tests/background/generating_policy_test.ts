import assert from "node:assert/strict";
import { BackgroundWorker, carryOut, type Change, followChange, Upkeep } from "../../lib/background/mod.ts";
import { dig, isFault, type JsonObject } from "../../lib/json/mod.ts";
import { copy, keptLog, policies, portsWith, request, settings, source } from "./setting.ts";

const objects = `
{apiVersion: v1, kind: Namespace, metadata: {name: default}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: blue, uid: u-blue, labels: {team: "yes"}}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: green, uid: u-green, labels: {team: "yes"}}}
---
{apiVersion: v1, kind: Secret, metadata: {name: regcred, namespace: default, uid: u-source, labels: {app: web}}, data: {a: eA==}}
`;

const blue = "/api/v1/namespaces/blue", green = "/api/v1/namespaces/green";

/** A cluster and a worker with policies. The namespace blue has been reviewed, unless `reviewed` is false. */
async function setUp(text: string, { more = "", reviewed = true } = {}) {
  const { cluster, ports } = portsWith(`${objects}---\n${more}`);
  const snapshot = policies(text);
  const log = keptLog();
  const worker = new BackgroundWorker({ snapshot: () => snapshot, ports, log });
  const read = async (path: string): Promise<JsonObject> => (await cluster.read(path))!;
  /** The versions that the API server remembers. */
  const versions = new Map<string, JsonObject>();
  const remember = async (path: string): Promise<void> => {
    const object = await read(path);
    versions.set(String(dig(object, "metadata", "resourceVersion")), object);
  };
  cluster.interfere = ({ path }) => {
    const query = new URLSearchParams(path.split("?")[1]);
    if (query.get("resourceVersionMatch") !== "Exact") return undefined;
    const version = versions.get(query.get("resourceVersion") ?? "");
    if (version === undefined) return { ok: false, status: 410, message: "too old" };
    assert.equal(query.get("fieldSelector"), `metadata.name=${dig(version, "metadata", "name")}`);
    return { ok: true, status: 200, body: { kind: "List", items: [version] } };
  };
  const remove = async (path: string): Promise<void> => {
    await remember(path);
    await cluster.inner.call({ method: "DELETE", path });
  };
  const replace = async (path: string, body: JsonObject): Promise<void> => {
    await remember(path);
    const answer = await cluster.inner.call({ method: "PUT", path, body });
    assert.ok(answer.ok, JSON.stringify(answer));
  };
  const review = async (...[object, change]: Parameters<typeof request>): Promise<void> => {
    worker.add(request(object, change));
    await worker.drain();
  };
  /** Deletes an object, and reviews the deletion. */
  const removed = async (path: string): Promise<void> => {
    const object = await read(path);
    await remove(path);
    await review(object, { operation: "DELETE" });
  };
  /** Changes an object, and reviews the update. */
  const updated = async (path: string, change: (object: JsonObject) => JsonObject): Promise<void> => {
    const oldObject = await read(path);
    await replace(path, change(oldObject));
    await review(await read(path), { operation: "UPDATE", oldObject });
  };
  /** Follows a change and carries out what it asks for; answers with the verbs. */
  const follow = async (change: Change): Promise<string[]> => {
    const effects = await followChange(change, { snapshot, ports });
    assert.ok(!isFault(effects), isFault(effects) ? effects.message : "");
    for (const effect of effects) assert.ok((await carryOut(effect, cluster)).done);
    return effects.map(({ verb }) => verb);
  };
  /** Compares the cluster with the policies, and then with others. */
  const changeTo = async (...texts: string[]): Promise<void> => {
    let current = snapshot;
    const upkeep = new Upkeep({ snapshot: () => current, ports, log, worker });
    for (const next of [snapshot, ...texts.map((each) => policies(each))]) {
      current = next;
      upkeep.look();
      await upkeep.done();
      await worker.drain();
    }
    await upkeep.close();
  };
  if (reviewed) await review(await read(blue));
  return {
    cluster,
    ports,
    log,
    worker,
    snapshot,
    versions,
    follow,
    read,
    remove,
    replace,
    review,
    removed,
    updated,
    changeTo,
  };
}

function colored(object: JsonObject, color: string): JsonObject {
  return { ...object, data: { color } };
}

function labelledAs(object: JsonObject, labels: JsonObject): JsonObject {
  return { ...object, metadata: { ...object["metadata"] as JsonObject, labels } };
}

/** A policy that makes a ConfigMap for each namespace. */
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

/** The same in another namespace than the trigger, with which its contents are deleted. */
const away = generating.replace("Apply(object.metadata.name,", 'Apply("default",');
const awaySettings = settings.replace("blue", "default");

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

const ofBlue = {
  "app.kubernetes.io/managed-by": "kyverno",
  "generate.kyverno.io/policy-name": "settings",
  "generate.kyverno.io/trigger-name": "blue",
  "generate.kyverno.io/trigger-namespace": "",
  "generate.kyverno.io/trigger-uid": "u-blue",
  "generate.kyverno.io/trigger-kind": "Namespace",
  "generate.kyverno.io/trigger-group": "",
  "generate.kyverno.io/trigger-version": "v1",
};

Deno.test("an object of a GeneratingPolicy has the labels that Kyverno gives it", async () => {
  const made = await setUp(generating);
  assert.deepEqual(dig(await made.read(settings), "metadata", "labels"), ofBlue);
  const copied = await setUp(copying);
  const labels = { ...ofBlue, app: "web", "generate.kyverno.io/source-uid": "u-source" };
  assert.deepEqual(dig(await copied.read(copy), "metadata", "labels"), labels);
  // The label by which the source is followed is not copied.
  await copied.updated(blue, (object) => labelledAs(object, { team: "no" }));
  assert.deepEqual(dig(await copied.read(copy), "metadata", "labels"), labels);
});

Deno.test("a trigger whose name no label can have generates, too", async () => {
  const policy = generating.replace("namespaces]", "configmaps]").replace("object.metadata.name,", '"blue",');
  const { read, cluster, review } = await setUp(policy, { reviewed: false });
  const name = "a".repeat(100);
  await cluster.inner.call({
    method: "POST",
    path: `${green}/configmaps`,
    body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "green", uid: "u-long" } },
  });
  await review(await read(`${green}/configmaps/${name}`));
  const labels = dig(await read(settings), "metadata", "labels") as JsonObject;
  assert.deepEqual([labels["generate.kyverno.io/trigger-name"], labels["generate.kyverno.io/trigger-uid"]], [
    undefined,
    (await read(`${green}/configmaps/${name}`) as { metadata: { uid: string } }).metadata.uid,
  ]);
});

const settingsOf = (labels: JsonObject): string =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "settings", namespace: "default", labels },
    data: { color: "mine" },
  });

const variants = {
  "with synchronize": away,
  "without synchronize": away.replace("enabled: true", "enabled: false"),
  "with server-side apply": away.replace("spec:", "spec:\n  useServerSideApply: true"),
};

const others: Readonly<Record<string, JsonObject>> = {
  "an object of a user": { app: "mine" },
  "an object of another policy": { ...ofBlue, "generate.kyverno.io/policy-name": "other" },
  "an object of a policy of a namespace": { ...ofBlue, "generate.kyverno.io/policy-namespace": "blue" },
  "an object of a rule of a ClusterPolicy": { ...ofBlue, "generate.kyverno.io/rule-name": "rule" },
  "an object that nothing manages": { ...ofBlue, "app.kubernetes.io/managed-by": "helm" },
};

for (const [variant, policy] of Object.entries(variants)) {
  for (const [whose, labels] of Object.entries(others)) {
    const what = `${whose}, ${variant}`;
    Deno.test(`an object that a GeneratingPolicy did not generate for the trigger is left alone: ${what}`, async () => {
      const { cluster, read, removed, updated, changeTo } = await setUp(policy, { more: settingsOf(labels) });
      await updated(blue, (object) => labelledAs(object, { team: "other" }));
      await changeTo(policy);
      await removed(blue);
      assert.deepEqual(cluster.writes, []);
      const { data, metadata } = await read(awaySettings);
      assert.deepEqual([data, dig(metadata!, "labels")], [{ color: "mine" }, labels]);
    });
  }
}

Deno.test("an object that Kyverno generated for the trigger is kept in step, and withdrawn", async () => {
  const { cluster, read, removed } = await setUp(away, { more: settingsOf(ofBlue) });
  assert.equal(dig(await read(awaySettings), "data", "color"), "blue");
  await removed(blue);
  assert.equal(await cluster.read(awaySettings), undefined);
});

Deno.test("of two triggers that generate one object, the first keeps it", async () => {
  const one = away.replace('dyn({"color": "blue"})', 'dyn({"color": object.metadata.name})');
  const { cluster, read, review, removed } = await setUp(one);
  await review(await read(green));
  const uid = async () =>
    dig(await read(awaySettings), "metadata", "labels", "generate.kyverno.io/trigger-uid");
  assert.deepEqual([dig(await read(awaySettings), "data", "color"), await uid()], ["blue", "u-blue"]);
  await removed(green);
  assert.equal(dig(await read(awaySettings), "data", "color"), "blue");
  await removed(blue);
  assert.equal(await cluster.read(awaySettings), undefined);
});

/** The same for all operations that a list names. */
const named = (operations: string): string => away.replace("[CREATE, UPDATE]", `[${operations}]`);

const lists: readonly (readonly [operations: string, left: boolean])[] = [
  ["CREATE", false],
  ["CREATE, UPDATE", false],
  ['"*"', false],
  ["CREATE, DELETE", true],
];

for (const [operations, left] of lists) {
  const what = `${operations}: ${left ? "stays" : "goes"}`;
  Deno.test(`the deletion of a trigger withdraws what a GeneratingPolicy made for it, unless the policy names DELETE: ${what}`, async () => {
    const { cluster, read, removed, changeTo } = await setUp(named(operations));
    assert.ok(await read(awaySettings));
    await removed(blue);
    assert.equal(await cluster.read(awaySettings) !== undefined, left);
    await changeTo();
    assert.equal(await cluster.read(awaySettings) !== undefined, left);
  });
}

Deno.test("a rule that names DELETE for other objects keeps the deletion of a trigger from withdrawing", async () => {
  const more =
    `    - {apiGroups: [""], apiVersions: [v1], resources: [secrets], operations: [DELETE]}\n  generate:`;
  const { cluster, removed } = await setUp(away.replace("  generate:", more));
  await removed(blue);
  assert.ok(await cluster.read(awaySettings));
});

Deno.test("what a GeneratingPolicy makes for a deletion stays, and the next deletion replaces it", async () => {
  const last = named("DELETE").replace('dyn({"color": "blue"})', 'dyn({"color": oldObject.metadata.name})');
  const { read, removed, changeTo, follow, replace } = await setUp(last, { reviewed: false });
  await removed(blue);
  assert.equal(dig(await read(awaySettings), "data", "color"), "blue");
  assert.deepEqual(dig(await read(awaySettings), "metadata", "labels"), {
    ...ofBlue,
    "generate.kyverno.io/trigger-uid": "",
  });
  await changeTo();
  assert.equal(dig(await read(awaySettings), "data", "color"), "blue");
  await removed(green);
  assert.equal(dig(await read(awaySettings), "data", "color"), "green");
  const object = await read(awaySettings);
  await replace(awaySettings, colored(object, "red"));
  assert.deepEqual(await follow({ object, state: "present" }), ["update"]);
  assert.equal(dig(await read(awaySettings), "data", "color"), "green");
});

Deno.test("a GeneratingPolicy for CREATE alone keeps what it made when its trigger is updated", async () => {
  const { cluster, updated, changeTo } = await setUp(named("CREATE"));
  await updated(blue, (object) => labelledAs(object, { team: "other" }));
  await changeTo();
  assert.ok(await cluster.read(awaySettings));
});

for (const [what, changed] of [["another name", { team: "no" }], ["no name that it can say", {}]] as const) {
  Deno.test(`the deletion of a trigger withdraws what a GeneratingPolicy made, now under ${what}`, async () => {
    const labels = 'object.metadata.labels["team"]';
    const byLabel = away.replace('"name": "settings"', `"name": "settings-" + ${labels}`);
    const { cluster, read, removed, replace } = await setUp(byLabel);
    const made = `${awaySettings}-yes`;
    assert.ok(await read(made));
    await replace(blue, labelledAs(await read(blue), changed));
    await removed(blue);
    assert.equal(await cluster.read(made), undefined);
  });
}

Deno.test("policies of one name do not delete each other's objects", async () => {
  const other = `
apiVersion: policies.kyverno.io/v1
kind: ValidatingPolicy
metadata: {name: settings}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [""], apiVersions: [v1], resources: [pods], operations: [CREATE]}
  validations: [{expression: "true"}]
---`;
  const { cluster, changeTo } = await setUp(generating);
  await changeTo(other + generating, generating);
  assert.ok(await cluster.read(settings));
});

Deno.test("clones of a GeneratingPolicy stay when it is deleted", async () => {
  const { cluster, changeTo } = await setUp(copying);
  await changeTo("");
  assert.ok(await cluster.read(copy));
});

/** A policy that copies a Secret into each namespace. */
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
    const { cluster, changeTo } = await setUp(text);
    await changeTo("");
    assert.equal(await cluster.read(settings) !== undefined, left);
  }
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

/** A policy that makes a ConfigMap for each name in an annotation. */
const several = away.replace(
  /- expression: >-[^]*$/,
  `- expression: >-
      object.metadata.annotations.names.split(",").all(n, generator.Apply("default", [{"apiVersion": dyn("v1"),
      "kind": dyn("ConfigMap"), "metadata": dyn({"name": n})}]))
`,
);

for (
  const [what, policy, left] of [
    ["with synchronize", several, ["a", "c"]],
    ["without synchronize", several.replace("enabled: true", "enabled: false"), ["a", "b", "c"]],
  ] as const
) {
  Deno.test(`the update of a trigger deletes what a GeneratingPolicy makes for it no longer: ${what}`, async () => {
    const { cluster, read, replace, review, updated } = await setUp(policy, { reviewed: false });
    const naming = (names: string) => (object: JsonObject): JsonObject => ({
      ...object,
      metadata: { ...object["metadata"] as JsonObject, annotations: { names } },
    });
    for (const [path, names] of [[blue, "a,b"], [green, "c"]] as const) {
      await replace(path, naming(names)(await read(path)));
      await review(await read(path));
    }
    await updated(blue, naming("a"));
    const found = await Promise.all(
      ["a", "b", "c"].map(async (name) =>
        await cluster.read(awaySettings.replace(/settings$/, name)) === undefined ? [] : [name]
      ),
    );
    assert.deepEqual(found.flat(), left);
  });
}

Deno.test("a GeneratingPolicy keeps an object whose kind has no namespaces, although it names one", async () => {
  const definition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Cluster
  names: {kind: Widget, plural: widgets}
  versions: [{name: v1, served: true}]
`;
  const policy = away.replace('"v1"', '"example.com/v1"').replace("ConfigMap", "Widget");
  const { cluster, read, updated, changeTo } = await setUp(policy, { more: definition });
  const widget = "/apis/example.com/v1/widgets/settings",
    { uid } = (await read(widget))["metadata"] as JsonObject;
  await updated(blue, (object) => labelledAs(object, { team: "other" }));
  await changeTo();
  assert.equal(dig(await read(widget), "metadata", "uid"), uid);
  assert.ok(!cluster.writes.some((write) => write.startsWith("DELETE")));
});

Deno.test("what was made for a trigger is found by its labels: no other objects are listed", async () => {
  const { cluster, removed } = await setUp(away);
  const lists: (string | null)[] = [];
  cluster.interfere = ({ method, path }) => {
    const [resource, query] = path.split("?");
    if (method === "GET" && resource === "/api/v1/configmaps") {
      lists.push(new URLSearchParams(query).get("labelSelector"));
    }
    return undefined;
  };
  await removed(blue);
  const prefix = "generate.kyverno.io/";
  assert.deepEqual(lists, [
    `app.kubernetes.io/managed-by=kyverno,${prefix}policy-name=settings,${prefix}trigger-uid=u-blue`,
  ]);
});

for (const [variant, policy] of Object.entries(variants)) {
  Deno.test(`an update of a trigger writes nothing when all is as it should be: ${variant}`, async () => {
    const { cluster, updated, changeTo } = await setUp(policy);
    cluster.writes.length = 0;
    await updated(blue, (object) => labelledAs(object, { team: "other" }));
    await changeTo();
    assert.deepEqual(cluster.writes, []);
  });
}

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

Deno.test("a trigger of a kind that cannot be listed does not keep others from being withdrawn", async () => {
  const lost = (name: string, kind: string): string =>
    JSON.stringify({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: {
        name,
        namespace: "default",
        labels: {
          ...ofBlue,
          "generate.kyverno.io/trigger-kind": kind,
          "generate.kyverno.io/trigger-uid": `u-${name}`,
        },
      },
    });
  const more = `${lost("a", "Scale")}\n---\n${lost("b", "Namespace")}`;
  const { cluster, changeTo } = await setUp(away, { more });
  await changeTo();
  const left = await Promise.all(
    ["a", "b"].map((name) => cluster.read(awaySettings.replace(/settings$/, name))),
  );
  assert.deepEqual(left.map((object) => object !== undefined), [true, false]);
});

Deno.test("an update of a trigger generates although the objects of former versions cannot be listed", async () => {
  const { cluster, read, updated } = await setUp(away, { reviewed: false });
  cluster.interfere = ({ method, path }) =>
    method === "GET" && path.startsWith("/api/v1/configmaps?")
      ? { ok: false, status: 403, message: "may not list" }
      : undefined;
  await updated(blue, (object) => labelledAs(object, { team: "other" }));
  assert.equal(dig(await read(awaySettings), "data", "color"), "blue");
});
