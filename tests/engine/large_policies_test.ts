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

const variables = "{{ request.name }}".repeat(1_500);
const rule = { match, validate: { message: "no", deny: {} } };

const cases: readonly (readonly [what: string, rules: readonly JsonObject[], message: RegExp])[] = [
  [
    "20,000 rules",
    Array.from({ length: 20_000 }, (_, index) => ({ name: `r${index}`, ...rule })),
    /spec\.rules has 20000 rules; a policy may have 2000/,
  ],
  [
    "1,500 variables in a key",
    [{
      name: "r",
      match,
      mutate: { patchStrategicMerge: { metadata: { annotations: { [variables]: "x" } } } },
    }],
    /has more than 1000 variables/,
  ],
  [
    "1,500 variables in a condition",
    [{
      name: "r",
      match,
      validate: { deny: { conditions: { all: [{ key: variables, operator: "Equals", value: "" }] } } },
    }],
    /has more than 1000 variables/,
  ],
  [
    "30,000 filters",
    [{
      name: "r",
      ...rule,
      match: {
        any: Array.from(
          { length: 30_000 },
          (_, at) => ({ resources: { kinds: ["Service"], names: [`n${at}`] } }),
        ),
      },
    }],
    /the spec has more than 10000 values/,
  ],
  [
    "a pattern of 700,000 alternatives",
    [{
      name: "r",
      match,
      validate: { message: "no", pattern: { metadata: { name: "a|".repeat(700_000) } } },
    }],
    /the spec has more than 10000 values/,
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
    Deno.test(`requests that ${what} match are answered by failurePolicy ${failurePolicy}`, () => {
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
      const caller = { requester: { username: "user-4999", groups: [] } };
      const run = evaluate(snapshot, request(object, caller), { phase: "validate", ports: ports() });
      assert.ok(!(run instanceof Promise));
      assert.equal(run.allowed, failurePolicy === "Ignore");
    });
  }
}

const allPods = {
  resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["*"], resources: ["pods"] }],
};

function celPolicy(spec: JsonObject): string {
  return JSON.stringify({
    apiVersion: "policies.kyverno.io/v1",
    kind: "ValidatingPolicy",
    metadata: { name: "cel" },
    spec: { matchConstraints: allPods, ...spec },
  });
}

const heavy: readonly (readonly [what: string, policy: string, matched: string, other: string])[] = [
  [
    "with 30,000 filters",
    policy([{
      name: "r",
      validate: { ...rule.validate, failureAction: "Enforce" },
      match: {
        any: Array.from(
          { length: 30_000 },
          (_, at) => ({ resources: { kinds: ["Secret"], names: [`n${at}`] } }),
        ),
      },
    }]),
    "Secret",
    "ConfigMap",
  ],
  [
    "with a pattern that is too large",
    policy([{
      name: "r",
      match,
      validate: { failureAction: "Enforce", message: "no", pattern: { a: "a|".repeat(700_000) } },
    }]),
    "Service",
    "ConfigMap",
  ],
  [
    "with 30,000 expressions of CEL",
    celPolicy({
      validations: Array.from({ length: 30_000 }, (_, at) => ({ expression: `object.kind != 'k${at}'` })),
    }),
    "Secret",
    "",
  ],
];
for (const [what, text, matched, other] of heavy) {
  Deno.test(`a policy ${what} denies what it may match by its failurePolicy, and nothing else`, async () => {
    const snapshot = policies(text);
    // The size is the first error; a text of that size may cause others.
    assert.equal(snapshot.diagnostics.find(({ severity }) => severity === "error")?.code, "too-large");
    for (const [kind, allowed] of [[matched, false], [other, true]] as const) {
      if (kind === "") continue;
      const object = { apiVersion: "v1", kind, metadata: { name: "a", namespace: "default" } };
      const decision = await evaluate(snapshot, request(object), { phase: "validate", ports: ports() });
      assert.equal(decision.allowed, allowed, `${kind}: ${JSON.stringify(decision.results[0]?.rules[0])}`);
    }
  });
}

Deno.test("an exception that is too large exempts nothing", async () => {
  const exception = JSON.stringify({
    apiVersion: "kyverno.io/v2",
    kind: "PolicyException",
    metadata: { name: "e", namespace: "default" },
    spec: {
      match: { any: [{ resources: { kinds: ["Service"] } }] },
      exceptions: Array.from({ length: 20_000 }, () => ({ policyName: "large", ruleNames: ["r"] })),
    },
  });
  const snapshot = policies(`${policy([{ name: "r", ...rule }])}\n---\n${exception}`);
  assert.deepEqual(snapshot.diagnostics.map(({ code }) => code), ["too-large"]);
  const object = { apiVersion: "v1", kind: "Service", metadata: { name: "a", namespace: "default" } };
  const enforced = await evaluate(snapshot, request(object), { phase: "validate", ports: ports() });
  assert.equal(enforced.results[0]?.rules[0]?.result, "fail");
});
