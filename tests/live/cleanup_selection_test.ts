/** The objects that a cleanup policy selects. */
import assert from "node:assert/strict";
import { evaluate } from "../../lib/engine/mod.ts";
import type { JsonObject } from "../../lib/json/mod.ts";
import { cleanupPolicy, cleanupRequest } from "../../lib/live/cleanup/cleanup_policy.ts";
import { clusterPorts } from "../conformance/ports.ts";
import { object } from "./cleanup_setting.ts";

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
    "a cleanup policy whose target has a field of that name",
    `apiVersion: kyverno.io/v2
kind: ClusterCleanupPolicy
metadata: {name: p}
spec:
  schedule: "* * * * *"
  match: {any: [{resources: {kinds: [Pod]}}]}
  conditions: {all: [{key: "{{ target.metadata.labels.target }}", operator: Equals, value: new}]}`,
    ["new"],
  ],
  [
    "a cleanup policy with context about its target",
    `apiVersion: kyverno.io/v2
kind: ClusterCleanupPolicy
metadata: {name: p}
spec:
  schedule: "* * * * *"
  match: {any: [{resources: {kinds: [Pod]}}]}
  context: [{name: called, variable: {jmesPath: target.metadata.name}}]
  conditions: {all: [{key: "{{ called }}", operator: Equals, value: old-b}]}`,
    ["old-b"],
  ],
  [
    "a cleanup policy selects whatever operations its filters name",
    `apiVersion: kyverno.io/v2
kind: ClusterCleanupPolicy
metadata: {name: p}
spec:
  schedule: "* * * * *"
  match: {any: [{resources: {kinds: [Pod], operations: [DELETE]}}]}
  exclude: {all: [{resources: {names: [new], operations: [UPDATE]}}]}`,
    ["old-a", "old-b"],
  ],
  [
    "a cleanup policy selects and excludes nothing for users, as nobody asks for a cleanup",
    `apiVersion: kyverno.io/v2
kind: ClusterCleanupPolicy
metadata: {name: p}
spec:
  schedule: "* * * * *"
  match:
    any:
    - {resources: {kinds: [Pod], names: [old-a]}, subjects: [{kind: User, name: ann}]}
    - {resources: {kinds: [Pod], names: [old-b]}, clusterRoles: [admin]}
    - {resources: {kinds: [Pod], names: [new]}}
  exclude: {any: [{resources: {kinds: [Pod]}, roles: ["team:admin"]}]}`,
    ["new"],
  ],
  [
    "a cleanup policy that excludes Namespaces by a namespaceSelector excludes all of them",
    `apiVersion: kyverno.io/v2
kind: ClusterCleanupPolicy
metadata: {name: p}
spec:
  schedule: "* * * * *"
  match: {any: [{resources: {kinds: [Pod, Namespace]}}]}
  exclude: {any: [{resources: {kinds: ["*"], names: ["new*"], namespaceSelector: {matchLabels: {keep: "true"}}}}]}`,
    ["old-a", "old-b", "new", "old-namespace"],
  ],
  [
    "a cleanup policy that matches Namespaces by a namespaceSelector selects none of them",
    `apiVersion: kyverno.io/v2
kind: ClusterCleanupPolicy
metadata: {name: p}
spec:
  schedule: "* * * * *"
  match: {any: [{resources: {kinds: [Namespace], namespaceSelector: {matchLabels: {keep: "true"}}}}]}`,
    [],
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
const pod = (name: string): JsonObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "team", labels: { target: name } },
  spec: { containers: [] },
});
for (const [what, text, selected] of policies) {
  Deno.test(`cleanup: ${what}`, async () => {
    const policy = cleanupPolicy(object(text), { compiling: { dialect: "current" } });
    const found: string[] = [];
    for (const name of ["old-a", "old-b", "new", "old-namespace", "new-namespace"]) {
      const target = name.endsWith("namespace")
        ? { ...pod(name), kind: "Namespace", metadata: { name } }
        : pod(name);
      const decision = await evaluate(policy.snapshot, cleanupRequest(target), {
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
