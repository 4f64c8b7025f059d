/** The existing objects of a rule, and what is read to find them. */
import assert from "node:assert/strict";
import { existingTriggers } from "../../lib/background/existing_triggers.ts";
import type { RuleInForce } from "../../lib/background/rules_in_force.ts";
import { isFault, type JsonObject } from "../../lib/json/mod.ts";
import { keptLog, policies, portsWith, synchronized } from "./setting.ts";

/** The readings of a policy's document while a rule's triggers among some namespaces are found, and their number. */
async function readings(namespaces: number): Promise<{ readonly readings: number; readonly found: number }> {
  const { ports } = portsWith(
    Array.from(
      { length: namespaces },
      (_, index) => `{apiVersion: v1, kind: Namespace, metadata: {name: n-${index}}}`,
    ).join("\n---\n"),
  );
  const { policy, rules: [rule] } = policies(synchronized).policies[0]!;
  let readings = 0;
  const document = new Proxy<JsonObject>(policy.document, {
    get: (target, name) => (readings++, Reflect.get(target, name)),
  });
  const inForce: Pick<RuleInForce, "policy" | "rule"> = { policy: { ...policy, document }, rule: rule! };
  const signal = new AbortController().signal;
  let found = 0;
  for await (
    const each of existingTriggers(inForce, {
      cluster: ports.cluster,
      log: keptLog(),
      signal,
      unseen: { since: 0, until: Infinity, evaluated: new Set() },
    })
  ) {
    if (!isFault(each)) found++;
  }
  return { readings, found };
}

Deno.test("a policy is read as often for many existing objects as for one", async () => {
  const one = await readings(1), many = await readings(50);
  assert.deepEqual([one.found, many.found], [1, 50]);
  assert.equal(many.readings, one.readings);
});
