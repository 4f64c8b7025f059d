/** The memory of the rules in force fits into the annotations of a Lease. */
import assert from "node:assert/strict";
import { RulesInForce } from "../../lib/background/rules_in_force.ts";
import { policies } from "./setting.ts";

/** The policies of some rules, a policy each. */
const policiesOf = (from: number, to: number, generateExisting: boolean): string =>
  Array.from({ length: to - from }, (_, index) =>
    `---
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: p${from + index}}
spec:
  rules:
  - name: r
    match: {any: [{resources: {kinds: [Namespace]}}]}
    generate:
      generateExisting: ${generateExisting}
      apiVersion: v1
      kind: ConfigMap
      name: made-${from + index}
      namespace: default
      data: {}
`).join("");

Deno.test("thousands of rules fit into the annotations of a Lease, those that look back before others", async () => {
  const snapshot = policies(policiesOf(0, 4_300, false) + policiesOf(4_300, 4_310, true));
  const rules = new RulesInForce();
  assert.equal((await rules.update(snapshot, 1_000_000)).length, 4_310);
  assert.ok(rules.text.length < 240_000, `${rules.text.length} characters`);
  const restarted = await new RulesInForce(rules.text).update(snapshot, 2_000_000);
  const isNew = restarted.filter(({ changed }) => changed).map(({ policy }) => policy.name);
  assert.equal(isNew.length, 4_310 - 3_500);
  assert.equal(isNew.includes("p4309"), false, "it would look at all objects again");
});

Deno.test("a rule whose compiled form stays is not read again", async () => {
  const snapshot = policies(policiesOf(0, 3, false)), rules = new RulesInForce();
  const reads: string[] = [];
  const counted = snapshot.policies.map((compiled) => ({
    ...compiled,
    policy: {
      ...compiled.policy,
      get document() {
        reads.push(compiled.policy.name);
        return compiled.policy.document;
      },
    },
  }));
  await rules.update({ ...snapshot, policies: counted }, 1_000_000);
  assert.deepEqual([...new Set(reads.splice(0))], ["p0", "p1", "p2"]);
  await rules.update({ ...snapshot, policies: counted }, 2_000_000);
  assert.deepEqual(reads, []);
});
