/** Policies that are too large to be used say so when they are loaded, and leave others in force. */
import assert from "node:assert/strict";
import { evaluate } from "../../lib/engine/mod.ts";
import type { JsonObject } from "../../lib/json/mod.ts";
import { policies, ports, request } from "./ports.ts";

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

const many = (matches: (index: number) => JsonObject): JsonObject[] =>
  Array.from({ length: 5_000 }, (_, index) => ({ ...rule, name: `r${index}`, match: matches(index) }));
const ofKind = (kind: string): JsonObject => ({ any: [{ resources: { kinds: [kind] } }] });

const answered:
  readonly (readonly [what: string, rules: readonly JsonObject[], matched: string, other: string])[] = [
    [
      "the last of 5,000 rules alone",
      many((index) => ofKind(index === 4_999 ? "Secret" : "Service")),
      "Secret",
      "ConfigMap",
    ],
    [
      "the last of 5,000 rules that all match something else",
      many((index) => ({
        any: [{ resources: { kinds: [index === 4_999 ? "Secret" : "Service"], names: [`n${index}`] } }],
      })),
      "Secret",
      "ConfigMap",
    ],
    [
      "rules that are about users alone",
      many((index) => ({ any: [{ subjects: [{ kind: "User", name: `user-${index}` }] }] })),
      "Secret",
      "",
    ],
  ];
for (const [what, rules, matched, other] of answered) {
  for (const failurePolicy of ["Fail", "Ignore"]) {
    Deno.test(`requests that ${what} match are answered as failurePolicy ${failurePolicy} says`, () => {
      const spec = `"spec":{"validationFailureAction":"Enforce","failurePolicy":"${failurePolicy}",`;
      const snapshot = policies(policy(rules).replace('"spec":{', spec));
      assert.notEqual(snapshot.policies[0]?.broken, undefined);
      const of = (kind: string) =>
        snapshot.candidates("validate", { kind, operation: "CREATE", namespace: "a" }).map(({ rules }) =>
          rules
        );
      assert.notDeepEqual(of(matched), []);
      if (other !== "") assert.deepEqual(of(other), []);
      const object = { apiVersion: "v1", kind: matched, metadata: { name: "n4999", namespace: "a" } };
      const asker = { requester: { username: "user-4999", groups: [] } };
      const run = evaluate(snapshot, request(object, asker), { phase: "validate", ports: ports() });
      assert.ok(!(run instanceof Promise));
      assert.equal(run.allowed, failurePolicy === "Ignore");
    });
  }
}
