/** Results keep only the last object of several mutations: of an object of megabytes each would be another copy. */
import assert from "node:assert/strict";
import { evaluate, policyRequest } from "../../lib/engine/mod.ts";
import { parseReview } from "../../lib/kube/mod.ts";
import { patchedObject } from "../../lib/rules/mod.ts";
import { admissionReview } from "../server/review.ts";
import { portsOf, snapshotOf } from "../server/serving.ts";

const labelling = (names: readonly string[], policy: string): string => `
---
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: ${policy}}
spec:
  rules:
${
  names.map((name) => `
  - name: ${name}
    match: {any: [{resources: {kinds: [Pod]}}]}
    preconditions: {all: [{key: "{{ request.operation }}", operator: Equals, value: CREATE}]}
    mutate: {patchStrategicMerge: {metadata: {labels: {${name}: "{{ request.operation }}"}}}}`).join("")
}`;

for (
  const [what, policies] of [
    ["three rules of a policy", labelling(["a", "b", "c"], "three")],
    ["three policies", labelling(["a"], "one") + labelling(["b"], "two") + labelling(["c"], "three")],
  ] as const
) {
  Deno.test(`of ${what} that change an object, only the last result keeps the object`, async () => {
    const object = { apiVersion: "v1", kind: "Pod", metadata: { name: "p", namespace: "default" }, spec: {} };
    const parsed = parseReview(admissionReview({ uid: "u", object }));
    assert.ok(parsed.ok);
    const request = policyRequest(parsed.review.request);
    const options = { phase: "mutate", rules: "admission", ports: portsOf() } as const;
    const decision = await evaluate(snapshotOf(policies), request, options);
    const objects = decision.results.flatMap(({ rules }) => rules.map(patchedObject));
    assert.deepEqual(objects.slice(0, -1), [{}, {}]);
    assert.equal(objects.at(-1), decision.object);
    assert.equal(decision.patch.length, 1);
  });
}
