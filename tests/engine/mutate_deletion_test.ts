/** Rules that mutate, about requests that delete: Kyverno's admission controller admits each of these requests. */
import assert from "node:assert/strict";
import { admissionResponse, evaluate, loadPolicies } from "../../mod.ts";
import { admissionReview } from "../server/review.ts";

const bodies: readonly (readonly [what: string, mutate: string])[] = [
  ["a merged patch", "patchStrategicMerge: {metadata: {labels: {a: b}}}"],
  ["a JSON patch", 'patchesJson6902: \'[{"op": "add", "path": "/metadata/labels/a", "value": "b"}]\''],
  ["a loop", "foreach: [{list: \"['a']\", patchStrategicMerge: {data: {a: '{{ element }}'}}}]"],
  [
    "a variable of the new object, which there is not",
    "patchStrategicMerge: {metadata: {labels: {a: '{{ request.object.metadata.name }}'}}}",
  ],
];
for (const [what, mutate] of bodies) {
  Deno.test(`a rule that mutates admits a deletion without a patch: ${what}`, async () => {
    const { policies, diagnostics } = loadPolicies(`
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: { name: p }
spec:
  background: false
  rules:
  - name: r
    match: { any: [{ resources: { kinds: [Pod], operations: [DELETE] } }] }
    mutate: {${mutate}}
`);
    assert.deepEqual(diagnostics, []);
    const response = admissionResponse(await evaluate(policies, admissionReview({ operation: "DELETE" })));
    assert.deepEqual([response.allowed, response.patch], [true, undefined]);
  });
}
