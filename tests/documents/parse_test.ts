import assert from "node:assert/strict";
import type { Json, JsonObject } from "../../lib/json/mod.ts";
import type { Policy } from "../../lib/policy/mod.ts";
import { type PolicySet, readPolicies } from "../../lib/documents/mod.ts";
import { parseDocuments } from "../../lib/yaml/mod.ts";

function read(text: string): PolicySet {
  return readPolicies(parseDocuments(text, "p.yaml").documents);
}

const match = "match: {any: [{resources: {kinds: [Pod]}}]}";

function policyOf(
  spec: string,
  rule = "validate: {message: m, deny: {}}",
  head = "kind: ClusterPolicy",
): Policy {
  const set = read(`
apiVersion: kyverno.io/v1
${head}
metadata: {name: p, annotations: {a: text, b: 1, pod-policies.kyverno.io/autogen-controllers: none}}
spec:
  ${spec}
  rules: [{name: r, ${match}, ${rule}}]`);
  assert.equal(set.policies.length, 1);
  return set.policies[0]!;
}

const settings: [spec: string, field: keyof Policy, value: unknown][] = [
  ["background: true", "failurePolicy", "Fail"],
  ["failurePolicy: Ignore", "failurePolicy", "Ignore"],
  ["webhookConfiguration: {failurePolicy: Ignore}", "failurePolicy", "Ignore"],
  ["failurePolicy: Ignore\n  webhookConfiguration: {failurePolicy: Fail}", "failurePolicy", "Fail"],
  ["failurePolicy: Ignore\n  webhookConfiguration: {timeoutSeconds: 5}", "failurePolicy", "Ignore"],
  ["failurePolicy: Ignore\n  webhookConfiguration: {failurePolicy: null}", "failurePolicy", "Ignore"],
  ["webhookTimeoutSeconds: 7", "timeoutSeconds", 7],
  ["webhookTimeoutSeconds: 7\n  webhookConfiguration: {timeoutSeconds: 5}", "timeoutSeconds", 5],
  ["background: true", "timeoutSeconds", undefined],
  ["validationFailureAction: enforce", "failureAction", "Enforce"],
  ["validationFailureAction: AUDIT", "failureAction", "Audit"],
  ["background: true", "failureAction", "Audit"],
  ["background: false", "background", false],
  ["background: null", "background", true],
  ["admission: false", "admission", false],
  ["emitWarning: true", "emitWarning", true],
  ["applyRules: One", "applyRules", "One"],
  ["background: true", "applyRules", "All"],
  ["generateExistingOnPolicyUpdate: true", "generateExisting", true],
  ["useServerSideApply: true", "useServerSideApply", true],
];
for (const [spec, field, value] of settings) {
  Deno.test(`${spec.replace("\n ", ",")} makes ${field} ${value}`, () => {
    assert.deepEqual(policyOf(spec)[field], value);
  });
}

Deno.test("parsing drops annotations that are no text", () => {
  assert.deepEqual(policyOf("background: true").annotations, {
    a: "text",
    "pod-policies.kyverno.io/autogen-controllers": "none",
  });
});

Deno.test("a Policy without a namespace is in default, and its key is its name", () => {
  const { kind, namespace, key } = policyOf("background: true", undefined, "kind: Policy");
  assert.deepEqual([kind, namespace, key], ["Policy", "default", "p"]);
});

Deno.test("a rule's failure action and overrides are kept apart from the policy's", () => {
  const policy = policyOf(
    "validationFailureActionOverrides: [{action: enforce, namespaces: [prod-*]}]",
    "validate: {failureAction: Enforce, failureActionOverrides: [{action: Audit, namespaceSelector: {matchLabels: {a: b}}}], allowExistingViolations: false, deny: {}}",
  );
  assert.deepEqual(policy.overrides, [
    { action: "Enforce", namespaces: ["prod-*"], namespaceSelector: undefined },
  ]);
  const [rule] = policy.rules;
  assert.equal(rule?.failureAction, "Enforce");
  assert.equal(rule?.allowExistingViolations, false);
  assert.deepEqual(rule?.overrides, [
    { action: "Audit", namespaces: [], namespaceSelector: { matchLabels: { a: "b" } } },
  ]);
});

const wrong: [spec: string, code: string][] = [
  ["failurePolicy: Maybe", "unknown-value"],
  ["webhookConfiguration: {failurePolicy: Never}", "unknown-value"],
  ["validationFailureAction: warn", "unknown-value"],
  ["applyRules: Two", "unknown-value"],
  ["backgruond: true", "unknown-field"],
  ["background: maybe", "wrong-type"],
];
for (const [spec, code] of wrong) {
  Deno.test(`${spec} is reported as ${code} with its position, and breaks the policy`, () => {
    const text =
      `apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {name: p}\nspec:\n  ${spec}\n  rules: [{name: r, ${match}, validate: {deny: {}}}]`;
    const { diagnostics, broken } = read(text);
    assert.deepEqual(diagnostics.map((one) => [one.code, one.position?.line, one.policy]), [[code, 5, "p"]]);
    assert.equal(broken.get("p")?.code, code);
  });
}

Deno.test("an unreadable failure action counts as Enforce, so that a misspelling admits nothing", () => {
  assert.equal(policyOf("validationFailureAction: wran").failureAction, "Enforce");
});

Deno.test("items of a List are parsed, other kinds are passed on, and unknown kinds are reported", () => {
  const set = read(`
apiVersion: v1
kind: List
items:
- {apiVersion: kyverno.io/v1, kind: ClusterPolicy, metadata: {name: a}, spec: {rules: []}}
- {apiVersion: kyverno.io/v2, kind: PolicyException, metadata: {name: e, namespace: team}, spec: {exceptions: [{policyName: a, ruleNames: [r]}], match: {any: [{resources: {kinds: [Pod]}}]}}}
- {apiVersion: policies.kyverno.io/v1, kind: ValidatingPolicy, metadata: {name: v}}
- {apiVersion: kyverno.io/v1, kind: ClusterPolcy, metadata: {name: b}}
- text
---
`);
  assert.deepEqual(set.policies.map(({ key }) => key), ["a"]);
  assert.deepEqual(set.exceptions.map(({ key }) => key), ["team/e"]);
  assert.deepEqual(set.others.map(({ kind }) => kind), ["ValidatingPolicy"]);
  assert.deepEqual(
    set.diagnostics.map(({ code, position }) => [code, position?.line]),
    [["no-rules", 5], ["unknown-kind", 8], ["not-an-object", 9]],
  );
});

Deno.test("of two policies with one name, kind and namespace the first is used", () => {
  const policy = (kind: string, rule: string) =>
    `---\napiVersion: kyverno.io/v1\nkind: ${kind}\nmetadata: {name: p, namespace: team}\nspec: {rules: [{name: ${rule}, ${match}, validate: {deny: {}}}]}\n`;
  const { policies, diagnostics } = read(
    policy("ClusterPolicy", "first") + policy("ClusterPolicy", "second") + policy("Policy", "third"),
  );
  assert.deepEqual(policies.map(({ key, rules }) => [key, rules[0]?.name]), [["p", "first"], [
    "team/p",
    "third",
  ]]);
  assert.deepEqual(diagnostics.map(({ code }) => code), ["duplicate-policy"]);
});

Deno.test("an exception that names no policy or cannot be read exempts nothing", () => {
  const exception = (spec: Json): JsonObject => ({
    apiVersion: "kyverno.io/v2",
    kind: "PolicyException",
    metadata: { name: "e", namespace: "team" },
    spec,
  });
  for (const spec of [{}, { exceptions: [] }, { exceptions: [{ policyName: "p" }], mach: {} }, null]) {
    const set = read(JSON.stringify(exception(spec)));
    assert.deepEqual(set.exceptions, [], JSON.stringify(spec));
    assert.ok(set.diagnostics.length > 0);
  }
});
