/** Cleanup policies and time-to-live labels delete objects on schedule. */
import assert from "node:assert/strict";
import { EmbeddedCluster } from "../../lib/adapters/mod.ts";
import { existingRequest } from "../../lib/background/mod.ts";
import { evaluate } from "../../lib/engine/mod.ts";
import { isObject, type JsonObject } from "../../lib/json/mod.ts";
import { cleanupPolicy } from "../../lib/live/cleanup/cleanup_policy.ts";
import { compileSchedule, scheduleProblem } from "../../lib/live/cleanup/schedule.ts";
import { endOfLife } from "../../lib/live/cleanup/ttl.ts";
import { Expirer } from "../../lib/live/mod.ts";
import type { ServedResource } from "../../lib/ports.ts";
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

Deno.test("an expired object is deleted behind a page of unexpired ones", async () => {
  const labelled = (name: string, ttl: string): JsonObject => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      name,
      namespace: "default",
      uid: name,
      creationTimestamp: "2026-11-22T10:00:00Z",
      labels: { "cleanup.kyverno.io/ttl": ttl },
    },
  });
  const others = Array.from({ length: 600 }, (_, index) => labelled(`a-${index}`, "100d"));
  const clock = { now: () => created + 60_000 };
  const cluster = new EmbeddedCluster({
    objects: [...others, labelled("z", "1s")],
    clock,
    entropy: countingEntropy(),
  });
  const gone = Promise.withResolvers<void>();
  const resource: ServedResource = {
    group: "",
    version: "v1",
    kind: "ConfigMap",
    plural: "configmaps",
    namespaced: true,
    verbs: ["list", "watch", "delete"],
    subresources: [],
    preferred: true,
  };
  const expirer = new Expirer({
    cluster: {
      call: (call) =>
        call.path.endsWith("/subjectaccessreviews")
          ? Promise.resolve({ ok: true, status: 201, body: { status: { allowed: true } } })
          : cluster.call(call),
      resource: (...type) => cluster.resource(...type),
    },
    discovery: { resources: () => Promise.resolve({ ok: true, resources: [resource] }) },
    clock,
    log: silent,
    account: "system:serviceaccount:kyverno:cleanup",
    leads: () => true,
    deleted: () => gone.resolve(),
  });
  await gone.promise;
  expirer.close();
  const left = await cluster.call({ method: "GET", path: "/api/v1/namespaces/default/configmaps/z" });
  assert.equal(left.status, 404);
});
