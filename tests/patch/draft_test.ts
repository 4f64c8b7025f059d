import assert from "node:assert/strict";
import fc from "fast-check";
import { equal, isFault, type Json, type JsonObject } from "../../lib/json/mod.ts";
import { Draft, planStrategicMerge } from "../../lib/patch/mod.ts";
import { deepFreeze } from "./frozen.ts";
import { anything, change, loose, patch, pod, resource } from "./merge_inputs.ts";

/** Merges patches into a draft, and one by one into resources that throw when they are modified. */
function compareMerges(resource: JsonObject, patches: readonly Json[]): void {
  const draft = new Draft(deepFreeze(resource));
  let current = draft.resource;
  for (const patch of patches) {
    const plan = planStrategicMerge(deepFreeze(patch));
    if (isFault(plan)) continue;
    const expected = plan.apply(deepFreeze(structuredClone(current)));
    const changed = plan.applyTo(draft);
    if (isFault(expected)) {
      assert.deepEqual(changed, expected);
      return;
    }
    assert.equal(changed, !equal(expected, current));
    assert.equal(JSON.stringify(draft.resource), JSON.stringify(expected));
    current = structuredClone(expected);
  }
}

const patchLists: [name: string, resources: fc.Arbitrary<JsonObject>, patches: fc.Arbitrary<Json>][] = [
  ["of usual patches", resource, patch as fc.Arbitrary<Json>],
  [
    "where lists repeat elements",
    loose.map((spec) => pod(spec as Json)),
    change as fc.Arbitrary<Json>,
  ],
  ["of any JSON", anything.map((spec) => pod(spec)), anything],
];
for (const [name, resources, patches] of patchLists) {
  Deno.test(`a draft equals the result of single merges: ${name}`, () => {
    fc.assert(
      fc.property(resources, fc.array(patches, { minLength: 1, maxLength: 5 }), compareMerges),
      { numRuns: 1000 },
    );
  });
}

Deno.test("a draft copies only what changes, once", () => {
  const original = deepFreeze(pod({ containers: [{ name: "a" }], hostNetwork: false }));
  const draft = new Draft(original);
  const merge = (patch: Json) => {
    const plan = planStrategicMerge(patch);
    assert.ok(!isFault(plan));
    return plan.applyTo(draft);
  };
  assert.equal(merge({ spec: { hostNetwork: false } }), false);
  assert.equal(draft.resource, original);
  assert.equal(merge({ spec: { hostNetwork: true } }), true);
  const { resource } = draft, { spec } = resource;
  assert.notEqual(resource, original);
  assert.equal(merge({ spec: { nodeName: "n" } }), true);
  assert.ok(draft.resource === resource && draft.resource["spec"] === spec);
  assert.deepEqual(resource["spec"], { containers: [{ name: "a" }], hostNetwork: true, nodeName: "n" });
});
