/** A rule whose steps are used up is an error: an object does not pass a rule because it is too large for it. */
import assert from "node:assert/strict";
import { evaluate } from "../../lib/engine/mod.ts";
import type { JsonObject } from "../../lib/json/mod.ts";
import { pod, policies, ports, request } from "./ports.ts";

/** An expression that takes too many steps with {@link object}, but only for its heavy element. */
const heavy = `element.heavy && [${
  Array.from({ length: 50 }, () => "request.object.spec.list[?@ == 'x']").join(", ")
}] || 'b'`;

const object = pod({
  list: Array.from({ length: 60_000 }, () => "a"),
  elements: [{ heavy: true }, ...Array.from({ length: 40 }, () => ({ heavy: false }))],
});

const denied = { conditions: { all: [{ key: "{{ element.heavy }}", operator: "Equals", value: true }] } };

function loop(preconditions: JsonObject) {
  return policies(JSON.stringify({
    apiVersion: "kyverno.io/v1",
    kind: "ClusterPolicy",
    metadata: { name: "steps", annotations: { "pod-policies.kyverno.io/autogen-controllers": "none" } },
    spec: {
      rules: [{
        name: "heavy",
        match: { any: [{ resources: { kinds: ["Pod"] } }] },
        validate: {
          message: "heavy",
          foreach: [{ list: "request.object.spec.elements", preconditions, deny: denied }],
        },
      }],
    },
  }));
}

const skippingHeavy = loop({ all: [{ key: `{{ ${heavy} }}`, operator: "Equals", value: "b" }] });

for (const [how, isHurried] of [["at once", false], ["in many slices", true]] as const) {
  Deno.test(`a loop's precondition that takes too many steps is an error, evaluated ${how}`, async () => {
    let time = 0;
    const scheduler = { sliceMilliseconds: 1, pause: () => Promise.resolve() };
    const slow = { ...ports({}), clock: { now: () => time += 5 }, scheduler };
    const options = { phase: "validate", rules: "all", ports: isHurried ? slow : ports({}) } as const;
    const decision = await evaluate(skippingHeavy, request(object), options);
    const [rule] = decision.results[0]!.rules;
    assert.equal(rule?.result, "error");
    assert.match(rule.message, /too many steps/);
  });
}

Deno.test("the text of a patch that a request brings takes steps before it is read", async () => {
  const patching = policies(JSON.stringify({
    apiVersion: "kyverno.io/v1",
    kind: "ClusterPolicy",
    metadata: { name: "patch", annotations: { "pod-policies.kyverno.io/autogen-controllers": "none" } },
    spec: {
      rules: [{
        name: "patch",
        match: { any: [{ resources: { kinds: ["Pod"] } }] },
        mutate: { patchesJson6902: "{{ request.object.spec.patch }}" },
      }],
    },
  }));
  const line = "- {op: add, path: /spec/b, value: 1}\n";
  for (const [count, result] of [[100, "pass"], [30_000, "error"]] as const) {
    const options = { phase: "mutate", rules: "all", ports: ports({}) } as const;
    const decision = await evaluate(patching, request(pod({ patch: line.repeat(count) })), options);
    const [rule] = decision.results[0]!.rules;
    assert.equal(rule?.result, result, rule?.message);
    if (result === "error") assert.match(rule.message, /takes too many steps to read/);
  }
});
