/** Results that are made once, and not for each request. */
import assert from "node:assert/strict";
import { evaluate } from "../../lib/engine/mod.ts";
import { pod, policies, ports, request } from "./ports.ts";

const names = Array.from({ length: 1_000 }, (_, index) => ({ metadata: { name: `n${index}` } }));

const snapshot = policies(JSON.stringify({
  apiVersion: "kyverno.io/v1",
  kind: "ClusterPolicy",
  metadata: { name: "names" },
  spec: {
    validationFailureAction: "Enforce",
    rules: [{
      name: "names",
      match: { any: [{ resources: { kinds: ["Pod"] } }] },
      validate: { message: "no", anyPattern: names },
    }],
  },
}));

Deno.test("an anyPattern of a thousand patterns makes few outcomes at load", () => {
  const { rules } = snapshot.policies[0]!;
  assert.ok(rules.length > 0);
  for (const { body } of rules) assert.ok(body.constants!.length < 50);
});

for (const index of [0, 999]) {
  Deno.test(`an object that passes pattern ${index} of a thousand names it`, () => {
    const object = { ...pod(), metadata: { name: `n${index}` } };
    const decision = evaluate(snapshot, request(object), { phase: "validate", ports: ports() });
    assert.ok(!(decision instanceof Promise));
    const messages = decision.results.flatMap(({ rules }) => rules.map(({ message }) => message));
    assert.deepEqual(messages, [`validation rule 'names' anyPattern[${index}] passed.`]);
  });
}
