/** Effects that nobody carried out, found by the traces that changes leave on objects. */
import assert from "node:assert/strict";
import { BackgroundWorker, Upkeep } from "../../lib/background/mod.ts";
import { missedChanges } from "../../lib/background/missed_changes.ts";
import { asObject, dig, type JsonObject } from "../../lib/json/mod.ts";
import { keptLog, policies, portsWith } from "./setting.ts";

const objects = `
{apiVersion: v1, kind: Namespace, metadata: {name: default}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: app, namespace: default, labels: {team: "yes"}}, data: {color: red}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: other, namespace: default, labels: {team: "yes"}}, data: {color: red}}
---
{apiVersion: v1, kind: Secret, metadata: {name: target, namespace: default, finalizers: [a.example/a, a.example/b]}, data: {a: eA==}}
`;
const app = "/api/v1/namespaces/default/configmaps/app";
const other = "/api/v1/namespaces/default/configmaps/other";
const target = "/api/v1/namespaces/default/secrets/target";
const made = "/api/v1/namespaces/default/secrets/made";

function rule(body: string, { choosing = "", kind = "ClusterPolicy" } = {}): string {
  return `
apiVersion: kyverno.io/v1
kind: ${kind}
metadata: {name: rule}
spec:
  rules:
  - name: rule
    match: {any: [{resources: {kinds: [ConfigMap], selector: {matchLabels: {team: "yes"}}${choosing}}}]}
${body}`;
}
const targets = `    mutate:
      targets: [{apiVersion: v1, kind: Secret, namespace: default, name: target}]`;
const setting = rule(`${targets}
      patchesJson6902: |-
        - {op: add, path: /data/seen, value: "{{ request.object.data.color }}"}`);
const appending = rule(`${targets}
      patchesJson6902: |-
        - {op: add, path: /metadata/finalizers/-, value: a.example/c}`);
const removing = rule(`${targets}
      patchesJson6902: |-
        - {op: remove, path: /metadata/finalizers/0}`);
const timing = rule(`${targets}
      patchStrategicMerge: {metadata: {annotations: {restarted: "{{ time_now_utc() }}"}}}`);
const counting = rule(`    mutate:
      targets: [{apiVersion: v1, kind: ConfigMap, namespace: default, name: app}]
      patchStrategicMerge: {data: {count: "{{ to_string(add(to_number(request.object.data.count || '0'), \`1\`)) }}"}}`);
const inCel = `
apiVersion: policies.kyverno.io/v1
kind: MutatingPolicy
metadata: {name: rule}
spec:
  evaluation: {mutateExisting: {enabled: true}}
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], resources: [configmaps], operations: [CREATE, UPDATE]}]
  targetMatchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], resources: [secrets], operations: ["*"]}]
  mutations:
  - patchType: JSONPatch
    jsonPatch: {expression: '[JSONPatch{op: "add", path: "/data/seen", value: request.object.data.color}]'}
`;
const growing = inCel.replace(
  '"/data/seen", value: request.object.data.color',
  '"/metadata/finalizers/-", value: "a.example/c"',
);
const generating = rule(`    generate:
      apiVersion: v1
      kind: Secret
      name: made
      namespace: default
      data: {data: {color: eA==}}`);

/** A leader, and users who change objects while no replica runs. */
async function setUp(text: string) {
  const { cluster, ports } = portsWith(objects);
  const log = keptLog();
  const current = policies(text);
  const worker = new BackgroundWorker({
    snapshot: () => current,
    ports,
    log,
    triggers: "as-stored",
    wait: () => Promise.resolve(),
  });
  const upkeep = new Upkeep({ snapshot: () => current, ports, log, worker });
  const look = async (): Promise<void> => {
    upkeep.compare();
    await upkeep.done();
    await worker.drain();
  };
  await look();
  cluster.writes.length = 0;
  return {
    cluster,
    log,
    now: () => ports.clock.now(),
    /** Time passes, so that what happens now is no part of an earlier time. */
    wait: () => {
      for (let second = 0; second < 200; second++) ports.clock.now();
    },
    async change(path: string, data: JsonObject, manager = "kubectl-edit") {
      const former = await cluster.read(path);
      const body = { ...former, data: { ...asObject(former?.["data"]), ...data } };
      const call = { method: "PUT", path: `${path}?fieldManager=${manager}`, body } as const;
      assert.ok((await cluster.inner.call(call)).ok);
    },
    /** The next leader looks for the effects of a replica that was killed. */
    async lost(since: number) {
      upkeep.replicaLost(since);
      await look();
      await worker.close();
      await upkeep.close();
    },
  };
}

const found = [
  ["changes a target", setting, target],
  ["adds to a target", appending, target],
  ["writes the time on a target", timing, target],
  ["changes its own trigger", counting, app],
  ["changes a target in CEL", inCel, target],
  ["adds to a target in CEL", growing, target],
  ["generates", generating, made],
  ["changes a target for updates alone", setting.replace('"yes"}}', '"yes"}}, operations: [UPDATE]'), target],
  [
    "asks for the operation",
    setting.replace(
      "    mutate:",
      '    preconditions: {all: [{key: "{{ request.operation }}", operator: Equals, value: UPDATE}]}\n    mutate:',
    ),
    target,
  ],
] as const;
for (const [what, text, path] of found) {
  Deno.test(`the effect of an update that a killed replica had admitted is carried out once: a rule that ${what}`, async () => {
    const { cluster, change, lost, now, wait } = await setUp(text);
    wait();
    const since = now();
    await change(app, { color: "eQ==" });
    await lost(since);
    assert.equal(cluster.writes.filter((write) => write.includes(path.replace(/\/[^/]*$/, ""))).length, 1);
    assert.notEqual(await cluster.read(path), undefined);
  });
}

for (const manager of ["kubectl-edit", "postern"]) {
  const what = manager === "postern" ? "that Postern made itself" : "from before that time";
  Deno.test(`no update is looked up ${what}`, async () => {
    const { cluster, change, lost, now, wait } = await setUp(setting);
    if (manager !== "postern") await change(app, { color: "eQ==" });
    wait();
    const since = now();
    if (manager === "postern") await change(app, { color: "eQ==" }, manager);
    await lost(since);
    assert.deepEqual(cluster.writes, []);
  });
}

Deno.test("the changes of an object are its creation and later updates, without those of subresources", () => {
  const at = (second: number) => Date.parse(`2026-01-01T00:00:${second}Z`);
  const entry = (second: number, subresource?: string) => ({
    manager: "kubectl",
    time: `2026-01-01T00:00:${second}Z`,
    ...(subresource !== undefined && { subresource }),
  });
  const changes = (since: number, until: number, entries: JsonObject[]) =>
    missedChanges(
      { metadata: { uid: "u", creationTimestamp: "2026-01-01T00:00:10Z", managedFields: entries } },
      { since: at(since), until: at(until), evaluated: new Set() },
      { passesOverPostern: true },
    ).map(({ operation, at }) => `${operation} ${new Date(at).getUTCSeconds()}`);
  assert.deepEqual(changes(10, 50, [entry(10), entry(30), entry(20)]), ["CREATE 10", "UPDATE 30"]);
  assert.deepEqual(changes(15, 25, [entry(10), entry(30), entry(20)]), ["UPDATE 20"]);
  assert.deepEqual(changes(10, 50, [entry(10), entry(30, "status")]), ["CREATE 10"]);
  assert.deepEqual(changes(40, 50, [entry(10), entry(30)]), []);
});

const doubted = [
  ["adds to a target", appending],
  ["writes the time on a target", timing],
  ["adds to a target in CEL", growing],
] as const;
for (const [what, text] of doubted) {
  Deno.test(`a target that Postern has written since a request is not patched again by a rule that ${what}`, async () => {
    const { cluster, log, change, lost, now, wait } = await setUp(text);
    wait();
    const since = now();
    await change(app, { color: "eQ==" });
    // The effect, or that of another rule: nobody knows.
    await change(target, { b: "eA==" }, "postern");
    await lost(since);
    assert.deepEqual(cluster.writes, []);
    assert.ok(log.lines.some((line) => /^warn effect left out: it may have been carried out/.test(line)));
  });
}

Deno.test("the patches of a rule that are not made again are one line of the log, whatever their number", async () => {
  const { log, change, lost, now, wait } = await setUp(appending);
  wait();
  const since = now();
  for (const path of [app, other]) await change(path, { color: "eQ==" });
  await change(target, { b: "eA==" }, "postern");
  await lost(since);
  assert.equal(log.lines.filter((line) => line.includes("effect left out")).length, 1);
});

Deno.test("a patch that changes nothing twice is applied although Postern has written the target since", async () => {
  const { cluster, change, lost, now, wait } = await setUp(setting);
  wait();
  const since = now();
  await change(app, { color: "eQ==" });
  await change(target, { b: "eA==" }, "postern");
  await lost(since);
  assert.equal(dig(await cluster.read(target), "data", "seen"), "eQ==");
  assert.deepEqual(cluster.writes, [`PUT ${target}`]);
});

// Nothing in the cluster distinguishes it from one that was not carried out: a field of Postern's that a user changes is the
// user's.
Deno.test("an effect that a user undid before it is looked up is carried out again", async () => {
  const { cluster, change, lost, now, wait } = await setUp(setting);
  wait();
  const since = now();
  await change(app, { color: "eQ==" });
  await change(target, { seen: "eQ==" }, "postern");
  await change(target, { seen: "eg==" });
  await lost(since);
  assert.equal(dig(await cluster.read(target), "data", "seen"), "eQ==");
});

Deno.test("a patch that only removes fields is not applied for a request that is looked up, as it leaves no trace", async () => {
  const { cluster, change, lost, now, wait } = await setUp(removing);
  wait();
  const since = now();
  await change(app, { color: "eQ==" });
  await lost(since);
  assert.deepEqual(cluster.writes, []);
});

Deno.test("of two triggers of one target that are looked up together a patch that adds is applied once", async () => {
  const { cluster, change, lost, now, wait } = await setUp(appending);
  wait();
  const since = now();
  await change(app, { color: "eQ==" });
  await change(other, { color: "eQ==" });
  await lost(since);
  assert.deepEqual(cluster.writes, [`PUT ${target}`]);
});

Deno.test("a rule that reads the old object of an update is not evaluated for one that is looked up", async () => {
  const { cluster, log, change, lost, now, wait } = await setUp(
    setting.replace("request.object.data.color", "request.oldObject.data.color"),
  );
  wait();
  const since = now();
  await change(app, { color: "eQ==" });
  await lost(since);
  assert.deepEqual(cluster.writes, []);
  assert.deepEqual(log.lines.filter((line) => line.startsWith("error")), []);
});
