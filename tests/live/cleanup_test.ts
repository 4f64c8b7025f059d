/** Cleanup policies and time-to-live labels delete objects on schedule. */
import assert from "node:assert/strict";
import { EmbeddedCluster } from "../../lib/embedded/mod.ts";
import { existingRequest } from "../../lib/background/mod.ts";
import { evaluate } from "../../lib/engine/mod.ts";
import { asList, field, isObject, type Json, type JsonObject } from "../../lib/json/mod.ts";
import { nameOf } from "../../lib/kube/mod.ts";
import type { CleanerOptions } from "../../lib/live/cleanup/cleaner.ts";
import { cleanupPolicy } from "../../lib/live/cleanup/cleanup_policy.ts";
import type { ExpirerOptions } from "../../lib/live/cleanup/expirer.ts";
import { compileSchedule, scheduleProblem } from "../../lib/live/cleanup/schedule.ts";
import { endOfLife, ttlLabel } from "../../lib/live/cleanup/ttl.ts";
import { Cleaner, Expirer, type PolicyEvent } from "../../lib/live/mod.ts";
import type { PolicyObject } from "../../lib/live/policy_objects.ts";
import { StatusWriter } from "../../lib/live/status.ts";
import { policyObjectKinds } from "../../lib/policy/mod.ts";
import type { ApiCall, Clock, Cluster, Discovery, Log, ServedResource } from "../../lib/ports.ts";
import { parseDocuments } from "../../lib/yaml/mod.ts";
import { countingEntropy } from "../adapters/fakes.ts";
import { clusterPorts } from "../conformance/ports.ts";
import { silent } from "./setting.ts";

const created = Date.parse("2026-11-22T10:00:00Z");

const labels: readonly (readonly [label: string, end: string | undefined])[] = [
  ["2s", "2026-11-22T10:00:02Z"],
  ["1m", "2026-11-22T10:01:00Z"],
  ["1h30m", "2026-11-22T11:30:00Z"],
  ["1d", "2026-11-23T10:00:00Z"],
  ["2026-12-01", "2026-12-01T00:00:00Z"],
  ["2026-12-01T150405Z", "2026-12-01T15:04:05Z"],
  ["soon", undefined],
  ["2026-13-01", undefined],
];

for (const [label, end] of labels) {
  Deno.test(`time to live "${label}" ${end === undefined ? "cannot be read" : `ends at ${end}`}`, () => {
    assert.equal(endOfLife(label, created), end === undefined ? undefined : Date.parse(end));
  });
}

const schedules: readonly (readonly [text: string, next: string | undefined])[] = [
  ["*/1 * * * *", "2026-11-22T10:01:00Z"],
  ["0 3 * * *", "2026-11-23T03:00:00Z"],
  ["@hourly", "2026-11-22T11:00:00Z"],
  ["* * * * * *", undefined],
  ["at six", undefined],
];

for (const [text, next] of schedules) {
  Deno.test(`schedule "${text}" ${next === undefined ? "is refused" : `is due at ${next}`}`, () => {
    const schedule = compileSchedule(text);
    assert.equal(scheduleProblem(text) === undefined, next !== undefined);
    if (!(schedule instanceof Error)) assert.equal(schedule(created), Date.parse(next!));
  });
}

function object(text: string): JsonObject {
  const { value } = parseDocuments(text, "object.yaml").documents[0]!;
  assert.ok(isObject(value));
  return value;
}

const policies: readonly (readonly [what: string, policy: string, selected: readonly string[]])[] = [
  [
    "a cleanup policy with conditions about its target",
    `apiVersion: kyverno.io/v2
kind: ClusterCleanupPolicy
metadata: {name: p}
spec:
  schedule: "* * * * *"
  match: {any: [{resources: {kinds: [Pod]}}]}
  conditions: {all: [{key: "{{ target.metadata.name }}", operator: Equals, value: old*}]}`,
    ["old-a", "old-b"],
  ],
  [
    "a cleanup policy without conditions selects what it matches and does not exclude",
    `apiVersion: kyverno.io/v2
kind: CleanupPolicy
metadata: {name: p, namespace: team}
spec:
  schedule: "* * * * *"
  match: {any: [{resources: {kinds: [Pod]}}]}
  exclude: {any: [{resources: {names: [old-b]}}]}`,
    ["old-a", "new"],
  ],
  [
    "a deleting policy selects where all its conditions hold",
    `apiVersion: policies.kyverno.io/v1beta1
kind: DeletingPolicy
metadata: {name: p}
spec:
  schedule: "* * * * *"
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], resources: [pods]}]}
  conditions: [{name: old, expression: "object.metadata.name.startsWith('old')"}]`,
    ["old-a", "old-b"],
  ],
];

for (const [what, text, selected] of policies) {
  Deno.test(`cleanup: ${what}`, async () => {
    const policy = cleanupPolicy(object(text), { dialect: "current" });
    const found: string[] = [];
    for (const name of ["old-a", "old-b", "new"]) {
      const target = {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name, namespace: "team" },
        spec: { containers: [] },
      };
      const decision = await evaluate(policy.snapshot, existingRequest(target), {
        phase: "validate",
        rules: "all",
        ports: clusterPorts([]),
      });
      if (decision.results.some(({ rules }) => rules.some(({ result }) => result === policy.deletes))) {
        found.push(name);
      }
    }
    assert.deepEqual(found, selected);
  });
}

const configMaps: ServedResource = {
  group: "",
  version: "v1",
  kind: "ConfigMap",
  plural: "configmaps",
  namespaced: true,
  verbs: ["list", "watch", "delete"],
  subresources: [],
  preferred: true,
};
const configMapsPath = "/api/v1/namespaces/default/configmaps";

function configMap(name: string, labels: JsonObject = {}): JsonObject {
  const metadata = {
    name,
    namespace: "default",
    uid: name,
    creationTimestamp: "2026-11-22T10:00:00Z",
    labels,
  };
  return { apiVersion: "v1", kind: "ConfigMap", metadata };
}

/** A cluster that grants every right, and lets a test see each deletion before it is carried out. */
function clusterWith(
  objects: readonly JsonObject[],
  { clock, deleting = () => {} }: { readonly clock: Clock; readonly deleting?: (call: ApiCall) => void },
): Cluster {
  const cluster = new EmbeddedCluster({ objects, clock, entropy: countingEntropy() });
  return {
    call: (call) => {
      if (call.method === "DELETE") deleting(call);
      return call.path.endsWith("/subjectaccessreviews")
        ? Promise.resolve({ ok: true, status: 201, body: { status: { allowed: true } } })
        : cluster.call(call);
    },
    resource: (...type) => cluster.resource(...type),
  };
}

async function namesIn(cluster: Cluster): Promise<string[]> {
  const answer = await cluster.call({ method: "GET", path: configMapsPath });
  assert.ok(answer.ok);
  return asList(field(answer.body, "items")).map(nameOf);
}

/** Waits until work without timers has ended. */
async function idle(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setTimeout(resolve));
}

/** The kind and the object of a cleanup policy that is due every minute and deletes all ConfigMaps. */
function cleanup(spec: JsonObject = {}): PolicyObject {
  const [kind] = policyObjectKinds.filter((each) => each.kind === "ClusterCleanupPolicy");
  const match = { any: [{ resources: { kinds: ["ConfigMap"] } }] };
  const metadata = { name: "p", uid: "u" };
  const written = { schedule: "* * * * *", match, ...spec };
  return {
    kind: kind!,
    object: { apiVersion: "kyverno.io/v2", kind: "ClusterCleanupPolicy", metadata, spec: written },
  };
}

/** A Cleaner whose policy is due in a millisecond. */
function cleanerIn(
  cluster: Cluster,
  { discovery = allServed, leads = () => true }: Partial<Pick<CleanerOptions, "discovery" | "leads">> = {},
): { readonly cleaner: Cleaner; readonly lines: string[]; readonly events: PolicyEvent[] } {
  const lines: string[] = [], events: PolicyEvent[] = [];
  const log: Log = { write: (_level, message) => void lines.push(message) };
  const cleaner = new Cleaner({
    ports: { ...clusterPorts([]), cluster, clock: almostDue },
    discovery,
    log,
    compiling: { dialect: "current" },
    account: "system:serviceaccount:kyverno:cleanup",
    statuses: new StatusWriter({ cluster, clock: almostDue, log }),
    events: (found) => void events.push(...found),
    leads,
  });
  return { cleaner, lines, events };
}

const almostDue: Clock = { now: () => created + 59_999 };
const allServed: Discovery = { resources: () => Promise.resolve({ ok: true, resources: [configMaps] }) };

const interruptions: readonly (readonly [
  what: string,
  interrupt: (cleaner: Cleaner, lose: () => void) => void,
])[] = [
  ["its policy is deleted", (cleaner) => cleaner.policies([])],
  ["its policy changes", (cleaner) => cleaner.policies([cleanup({ schedule: "0 0 1 1 *" })])],
  ["another replica leads", (_cleaner, lose) => lose()],
  ["Postern stops", (cleaner) => cleaner.close()],
];

for (const [what, interrupt] of interruptions) {
  Deno.test(`a cleanup deletes nothing more when ${what}`, async () => {
    let leads = true;
    const begun = Promise.withResolvers<void>();
    const cluster = clusterWith([configMap("a"), configMap("b")], {
      clock: almostDue,
      deleting() {
        interrupt(cleaner, () => leads = false);
        begun.resolve();
      },
    });
    const { cleaner } = cleanerIn(cluster, { leads: () => leads });
    cleaner.policies([cleanup()]);
    await begun.promise;
    await idle();
    cleaner.close();
    assert.deepEqual(await namesIn(cluster), ["b"]);
  });
}

const ofNamespace: readonly (readonly [kind: string, spec: JsonObject])[] = [
  ["CleanupPolicy", { match: { any: [{ resources: { kinds: ["ConfigMap", "Namespace"] } }] } }],
  ["NamespacedDeletingPolicy", {
    matchConstraints: {
      resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps", "namespaces"] }],
    },
  }],
];
for (const [name, spec] of ofNamespace) {
  Deno.test(`a ${name} deletes neither its Namespace nor objects of others`, async () => {
    const deleted: string[] = [];
    const namespace = (name: string): JsonObject => ({
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name, uid: name },
    });
    const elsewhere = { ...configMap("b"), metadata: { name: "b", namespace: "victim", uid: "b" } };
    const objects = [namespace("default"), namespace("victim"), configMap("a"), elsewhere];
    const cluster = clusterWith(objects, {
      clock: almostDue,
      deleting: ({ path }) => void deleted.push(path),
    });
    const served = [
      { ...configMaps, kind: "Namespace", plural: "namespaces", namespaced: false },
      configMaps,
    ];
    const { cleaner } = cleanerIn(cluster, {
      discovery: { resources: () => Promise.resolve({ ok: true, resources: served }) },
    });
    const kind = policyObjectKinds.find((each) => each.kind === name)!;
    cleaner.policies([{
      kind,
      object: {
        apiVersion: `${kind.group}/${kind.version}`,
        kind: name,
        metadata: { name: "p", namespace: "default", uid: "u" },
        spec: { schedule: "* * * * *", ...spec },
      },
    }]);
    while (deleted.length === 0) await idle();
    await idle();
    cleaner.close();
    assert.deepEqual(deleted, [`${configMapsPath}/a`]);
  });
}

Deno.test("a cleanup deletes the object that it evaluated, and none that took its name", async () => {
  const bodies: Json[] = [];
  const begun = Promise.withResolvers<void>();
  const cluster = clusterWith([configMap("a")], {
    clock: almostDue,
    deleting({ body = null }) {
      bodies.push(body);
      cleaner.close();
      begun.resolve();
    },
  });
  const { cleaner } = cleanerIn(cluster);
  cleaner.policies([cleanup({ deletionPropagationPolicy: "Orphan" })]);
  await begun.promise;
  assert.deepEqual(bodies, [{
    apiVersion: "v1",
    kind: "DeleteOptions",
    preconditions: { uid: "a" },
    propagationPolicy: "Orphan",
  }]);
});

Deno.test("a cleanup for which the API server does not list its resources is logged", async () => {
  const failed = Promise.withResolvers<void>();
  const { cleaner, lines } = cleanerIn(clusterWith([], { clock: almostDue }), {
    discovery: {
      resources() {
        failed.resolve();
        return Promise.resolve({ ok: false, message: "busy" });
      },
    },
  });
  cleaner.policies([cleanup()]);
  await failed.promise;
  await Promise.resolve();
  cleaner.close();
  assert.deepEqual(lines, ["a cleanup was put off: the cluster's resources were not read"]);
});

function expirerIn(cluster: Cluster, options: Pick<ExpirerOptions, "clock" | "deleted" | "every">): Expirer {
  return new Expirer({
    cluster,
    discovery: allServed,
    log: silent,
    account: "system:serviceaccount:kyverno:cleanup",
    leads: () => true,
    ...options,
  });
}

Deno.test("an expired object is deleted behind a page of unexpired ones", async () => {
  const others = Array.from({ length: 600 }, (_, index) => configMap(`a-${index}`, { [ttlLabel]: "100d" }));
  const clock = { now: () => created + 60_000 };
  const cluster = clusterWith([...others, configMap("z", { [ttlLabel]: "1s" })], { clock });
  const gone = Promise.withResolvers<void>();
  const expirer = expirerIn(cluster, { clock, deleted: () => gone.resolve() });
  await gone.promise;
  expirer.close();
  assert.equal((await namesIn(cluster)).includes("z"), false);
});

const changes: readonly (readonly [what: string, labels: JsonObject, left: readonly string[]])[] = [
  ["is prolonged stays", { [ttlLabel]: "1h" }, ["kept"]],
  ["is removed stays", { [ttlLabel]: null }, ["kept"]],
  ["does not change is deleted at its end", { team: "a" }, []],
];

for (const [what, labels, left] of changes) {
  Deno.test(`an object whose time to live ${what}`, async () => {
    let lists = 0;
    const times = [created + 59_999];
    const clock = { now: () => times.shift() ?? created + 60_000 };
    const cluster = clusterWith([configMap("kept", { [ttlLabel]: "1m" })], { clock: almostDue });
    const readAgain = Promise.withResolvers<void>();
    const expirer = expirerIn({
      ...cluster,
      async call(call) {
        const answer = await cluster.call(call);
        if (!call.path.includes("labelSelector")) return answer;
        if (lists++ > 0) readAgain.resolve();
        // The object changes after the list of all objects, and before its end.
        else await cluster.call(relabelling(labels));
        return answer;
      },
    }, { clock });
    await readAgain.promise;
    await idle();
    expirer.close();
    assert.deepEqual(await namesIn(cluster), left);
  });
}

function relabelling(labels: JsonObject): ApiCall {
  const contentType = "application/merge-patch+json", path = `${configMapsPath}/kept`;
  return { method: "PATCH", path, contentType, body: { metadata: { labels } } };
}
