/** Cleanup policies and time-to-live labels delete objects on schedule. */
import assert from "node:assert/strict";
import { existingRequest } from "../../lib/background/mod.ts";
import { evaluate } from "../../lib/engine/mod.ts";
import { isObject, type JsonObject } from "../../lib/json/mod.ts";
import { cleanupPolicy } from "../../lib/live/cleanup/cleanup_policy.ts";
import { compileSchedule, scheduleProblem } from "../../lib/live/cleanup/schedule.ts";
import { endOfLife } from "../../lib/live/cleanup/ttl.ts";
import { parseDocuments } from "../../lib/yaml/mod.ts";
import { clusterPorts } from "../conformance/ports.ts";

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
