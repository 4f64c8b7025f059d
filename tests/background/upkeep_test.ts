/** The leader makes the effects that replicas missed, and deletes what nothing keeps. */
import assert from "node:assert/strict";
import { PolicyCompiler } from "../../lib/engine/mod.ts";
import { asObject, type JsonObject } from "../../lib/json/mod.ts";
import { copy, request, settings, source, synchronized } from "./setting.ts";
import { blue, bluePath, oldSettings, setUp, touching } from "./upkeep_setting.ts";
import { parseDocuments } from "../../lib/yaml/mod.ts";

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

Deno.test("the change of a policy compares its rules alone, and those whose comparison failed", async () => {
  const { cluster, start, changeTo } = setUp();
  const compiler = new PolicyCompiler({ dialect: "current" });
  const documentsOf = (text: string) => parseDocuments(text, "policies.yaml").documents;
  const [both] = documentsOf(synchronized), other = synchronized.replace("name: both", "name: other");
  const exception = `
apiVersion: kyverno.io/v2
kind: PolicyException
metadata: {name: all, namespace: default}
spec:
  exceptions: [{policyName: both, ruleNames: [data, copy]}]
  match: {any: [{resources: {kinds: [Namespace]}}]}
`;
  const lists: string[] = [];
  let fails = false;
  cluster.interfere = ({ method, path }) => {
    if (method !== "GET" || !path.includes("labelSelector")) return undefined;
    lists.push(/policy-name(?:%3D|=)(\w+)/.exec(path)?.[1] ?? path);
    return fails ? { ok: false, status: 500, message: "failed" } : undefined;
  };
  const replica = start();
  const listedFor = async (change: () => void, documents?: ReturnType<typeof documentsOf>) => {
    if (documents !== undefined) changeTo(compiler.compile(documents));
    change();
    await replica.done();
    return [...new Set(lists.splice(0))].sort();
  };
  const changed = (...documents: ReturnType<typeof documentsOf>) =>
    listedFor(() => replica.policiesChanged(), documents);
  const compared = () => listedFor(() => void replica.compare());

  assert.deepEqual(await changed(both!), ["both"]);
  assert.deepEqual(await changed(both!, ...documentsOf(other)), ["other"]);
  assert.deepEqual(await changed(both!), ["other"], "what a removed policy generated");
  assert.deepEqual(await changed(both!, ...documentsOf(exception)), ["both"], "exempted");
  assert.deepEqual(await changed(both!), ["both"], "no longer exempted");
  assert.deepEqual(await changed(both!, ...documentsOf(touching)), []);
  assert.deepEqual(await compared(), ["both"], "every five minutes");
  fails = true;
  assert.deepEqual(await compared(), ["both"]);
  fails = false;
  assert.deepEqual(await changed(both!), ["both"]);
  assert.deepEqual(await changed(both!), []);
  await replica.close();
});
