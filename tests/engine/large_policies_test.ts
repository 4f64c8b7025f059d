/** Policies that are too large to be used say so when they are loaded, and leave others in force. */
import assert from "node:assert/strict";
import type { JsonObject } from "../../lib/json/mod.ts";
import { policies } from "./worlds.ts";

const match = { any: [{ resources: { kinds: ["Service"] } }] };

function policy(rules: readonly JsonObject[]): string {
  const metadata = { name: "large" };
  return JSON.stringify({ apiVersion: "kyverno.io/v1", kind: "ClusterPolicy", metadata, spec: { rules } });
}

const variables = "{{ request.name }}".repeat(50_000);
const rule = { match, validate: { message: "no", deny: {} } };

const cases: readonly (readonly [what: string, rules: readonly JsonObject[], message: RegExp])[] = [
  [
    "20,000 rules",
    Array.from({ length: 20_000 }, (_, index) => ({ name: `r${index}`, ...rule })),
    /spec\.rules has 20000 rules; a policy may have 2000/,
  ],
  [
    "50,000 variables in a key",
    [{
      name: "r",
      match,
      mutate: { patchStrategicMerge: { metadata: { annotations: { [variables]: "x" } } } },
    }],
    /has more than 1000 variables/,
  ],
  [
    "50,000 variables in a condition",
    [{
      name: "r",
      match,
      validate: { deny: { conditions: { all: [{ key: variables, operator: "Equals", value: "" }] } } },
    }],
    /has more than 1000 variables/,
  ],
];
for (const [what, rules, message] of cases) {
  Deno.test(`a policy with ${what} is refused with a diagnostic`, () => {
    const small = policy([{ name: "r", ...rule }]).replace("large", "small");
    const snapshot = policies(`${policy(rules)}\n---\n${small}`);
    const errors = snapshot.diagnostics.filter(({ severity }) => severity === "error");
    assert.ok(errors.length < 5, `${errors.length} errors`);
    assert.match(errors[0]!.message, message);
    assert.equal(errors[0]!.policy, "large");
    assert.equal(snapshot.policies.length, 2);
  });
}
