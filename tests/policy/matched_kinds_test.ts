/** The kinds that a policy's document is about. */
import assert from "node:assert/strict";
import type { Json } from "../../lib/json/mod.ts";
import { matchedKinds } from "../../lib/policy/matched_kinds.ts";

const constrained = (apiGroups: readonly string[], resources: readonly string[]): Json => ({
  kind: "ValidatingPolicy",
  spec: { matchConstraints: { resourceRules: [{ apiGroups, apiVersions: ["v1"], resources }] } },
});

const controllers = ["CronJob", "DaemonSet", "Deployment", "Job", "ReplicaSet", "ReplicationController"];

const rows: readonly [what: string, document: Json, kinds: readonly string[]][] = [
  ["a resource of the core group", constrained([""], ["secrets"]), ["Secret"]],
  ["a subresource", constrained(["apps"], ["deployments/scale"]), ["Deployment"]],
  ["a resource of another group with a built-in name", constrained(["example.com"], ["ingresses"]), ["*"]],
  ["one of several groups", constrained(["apps", "example.com"], ["deployments"]), ["*"]],
  ["any group", constrained(["*"], ["secrets"]), ["*"]],
  ["no group", constrained([], ["secrets"]), ["*"]],
  ["a resource that is not built in", constrained([""], ["widgets"]), ["*"]],
  ["Pods and their controllers", constrained([""], ["pods"]), ["Pod", ...controllers, "StatefulSet"]],
  ["a document without rules", { spec: {} }, ["*"]],
];
for (const [what, document, kinds] of rows) {
  Deno.test(`matchedKinds() lists the kinds of ${what}`, () => {
    assert.deepEqual([...matchedKinds(document)].sort(), [...kinds].sort());
  });
}
