/**
 * Changed documents make the compiler compile only the policies that changed: tests count compilations, and compare
 * the cached compiled forms by identity.
 */
import assert from "node:assert/strict";
import { conditionCompilations } from "../../lib/condition/mod.ts";
import { compilations } from "../../lib/jmespath/mod.ts";
import { type CompiledPolicy, PolicyCompiler, type Snapshot } from "../../lib/engine/mod.ts";
import type { Json } from "../../lib/json/mod.ts";
import { patternCompilations } from "../../lib/pattern/mod.ts";
import { parseDocuments, type YamlDocument } from "../../lib/yaml/mod.ts";
import { quickly } from "../support/processor_time.ts";

const classic = (name: string, image = "nginx") => `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: ${name}}
spec:
  rules:
  - name: image
    match: {any: [{resources: {kinds: [Pod]}}]}
    preconditions: {all: [{key: "{{ request.operation }}", operator: Equals, value: CREATE}]}
    validate: {pattern: {spec: {containers: [{image: "${image}"}]}}}`;
const cel = (name: string) => `
apiVersion: policies.kyverno.io/v1
kind: ValidatingPolicy
metadata: {name: ${name}}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]}
  validations: [{expression: "object.metadata.name != 'x'"}]`;
const json = (name: string) => `
apiVersion: json.kyverno.io/v1alpha1
kind: ValidatingPolicy
metadata: {name: ${name}}
spec: {rules: [{name: r, assert: {all: [{check: {a: 1}}]}}]}`;
const exception = (policy: string, name = "e") => `
apiVersion: kyverno.io/v2
kind: PolicyException
metadata: {name: ${name}, namespace: default}
spec:
  exceptions: [{policyName: ${policy}, ruleNames: [image, autogen-image]}]
  match: {any: [{resources: {kinds: [Pod], names: [old]}}]}`;
const celException = (policy: string) => `
apiVersion: policies.kyverno.io/v1
kind: PolicyException
metadata: {name: ce, namespace: default}
spec: {policyRefs: [{name: ${policy}, kind: ValidatingPolicy}]}`;
const bound = (name: string) => `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: ${name}}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]}
  validations: [{expression: "true"}]`;
const binding = (policy: string) => `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: ${policy}-binding}
spec: {policyName: ${policy}, validationActions: [Deny]}`;
const entry = `
apiVersion: kyverno.io/v2beta1
kind: GlobalContextEntry
metadata: {name: deployments}
spec: {kubernetesResource: {group: apps, version: v1, resource: deployments}}`;

function one(text: string): YamlDocument {
  return parseDocuments(text, "p.yaml").documents[0]!;
}

const a = one(classic("a")), b = one(classic("b")), c = one(cel("c")), d = one(cel("d")), v = one(bound("v"));
const all = [a, b, c, d, v];

function compiledAnew(before: Snapshot, after: Snapshot): string[] {
  const kept = new Set<CompiledPolicy>(before.written);
  return after.written.filter((each) => !kept.has(each)).map(({ policy }) => policy.key);
}

const changes: readonly (readonly [
  what: string,
  before: readonly YamlDocument[],
  after: readonly YamlDocument[],
  anew: readonly string[],
])[] = [
  ["nothing changed", all, all, []],
  ["a policy changed", all, [one(classic("a", "redis")), b, c, d, v], ["a"]],
  ["a policy in CEL changed", all, [a, b, one(cel("c")), d, v], ["c"]],
  ["a policy was added", all, [...all, one(classic("new"))], ["new"]],
  ["a policy was deleted", all, [b, c, d, v], []],
  ["an exception for a policy was added", all, [...all, one(exception("a"))], ["a"]],
  ["an exception for a policy changed", [...all, one(exception("a"))], [...all, one(exception("a"))], ["a"]],
  ["an exception for a policy was deleted", [...all, one(exception("a"))], all, ["a"]],
  ["an exception moved to another policy", [...all, one(exception("a"))], [...all, one(exception("b"))], [
    "a",
    "b",
  ]],
  ["an exception for no policy was added", all, [...all, one(exception("nobody"))], []],
  ["an exception for a policy in CEL was added", all, [...all, one(celException("d"))], ["d"]],
  ["an exception for a policy in CEL was deleted", [...all, one(celException("d"))], all, ["d"]],
  ["a binding was added", all, [...all, one(binding("v"))], ["v"]],
  ["a global context entry was added", all, [...all, one(entry)], []],
];

for (const [what, before, after, anew] of changes) {
  Deno.test(`when ${what}, ${anew.length === 0 ? "no policy" : anew.join(" and ")} is compiled again`, () => {
    const compiler = new PolicyCompiler();
    const first = compiler.compile(before);
    const second = compiler.compile(after);
    assert.deepEqual(compiledAnew(first, second), anew);
    // The cached forms give the same decisions as a compilation from the beginning.
    const fresh = new PolicyCompiler().compile(after);
    assert.deepEqual(second.diagnostics, fresh.diagnostics);
    assert.deepEqual(
      second.policies.map((
        { policy, rules },
      ) => [policy.key, rules.map(({ exceptions }) => exceptions.all.length)]),
      fresh.policies.map((
        { policy, rules },
      ) => [policy.key, rules.map(({ exceptions }) => exceptions.all.length)]),
    );
  });
}

Deno.test("when one of 1,000 policies changes, only that one is read and compiled", () => {
  const count = () => [patternCompilations(), conditionCompilations()] as const;
  // Equal conditions would be compiled once for all policies.
  const policy = (name: string, operation: string) =>
    one(classic(name).replace("value: CREATE", `value: ${operation}`));
  const documents = Array.from({ length: 1_000 }, (_, index) => policy(`p-${index}`, `O-${index}`));
  const compiler = new PolicyCompiler();
  const start = count();
  compiler.compile(documents.slice(0, 1));
  const [patterns, conditions] = count().map((each, index) => each - start[index]!) as [number, number];
  assert.ok(patterns > 0 && conditions > 0);
  compiler.compile(documents);
  const before = count();
  compiler.compile(documents.with(500, policy("p-500", "CREATE")));
  assert.deepEqual(count().map((each, index) => each - before[index]!), [patterns, conditions]);
});

const exempting = (rules: number): string => {
  const names = Array.from({ length: rules }, (_, index) => `r${index}`);
  const rule = (name: string): string =>
    `{name: ${name}, match: {any: [{resources: {kinds: [Service]}}]}, validate: {deny: {}}}`;
  return `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: many}
spec: {rules: [${names.map(rule).join(", ")}]}
---
apiVersion: kyverno.io/v2
kind: PolicyException
metadata: {name: e, namespace: default}
spec:
  exceptions: [{policyName: many, ruleNames: ["r*"]}]
  match: {any: [{resources: {kinds: [Service]}}]}
  conditions: {all: [{key: "{{ request.operation }}", operator: Equals, value: CREATE}]}`;
};

Deno.test("an exception is compiled once, and kept once, however many rules it names", () => {
  const compiled = (rules: number): { readonly count: number; readonly lists: number } => {
    const before = conditionCompilations();
    const { policies } = new PolicyCompiler().compile(parseDocuments(exempting(rules), "p.yaml").documents);
    const lists = policies.flatMap(({ rules }) => rules.map(({ exceptions }) => exceptions));
    assert.ok(lists.length === rules && lists.every((list) => list.all.length === 1));
    return { count: conditionCompilations() - before, lists: new Set(lists).size };
  };
  assert.deepEqual(compiled(100), compiled(1));
});

Deno.test("the checks of a rule compile no expression again", () => {
  const compiled = (expression: string): number => {
    const before = compilations().expressions;
    new PolicyCompiler().compile([one(`
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: p}
spec:
  rules:
  - name: r
    match: {any: [{resources: {kinds: [ConfigMap]}}]}
    validate: {deny: {conditions: {any: [{key: "{{ ${expression} }}", operator: Equals, value: x}]}}}`)]);
    return compilations().expressions - before;
  };
  // One for creations and updates, and one for deletions.
  const expressions = [
    "request.object.data.a",
    "to_upper(request.object.data.a)",
    "to_string(request.object, late)",
  ];
  for (const expression of expressions) assert.equal(compiled(expression), 2, expression);
});

Deno.test("the problems of a policy that keeps its compiled form are reported again", () => {
  const compiler = new PolicyCompiler();
  const broken = one(classic("a").replace("operator: Equals", "operator: Like"));
  const first = compiler.compile([broken, b]).diagnostics;
  assert.ok(first.length > 0);
  assert.deepEqual(compiler.compile([broken, one(classic("b"))]).diagnostics, first);
});

Deno.test("a policy for any JSON keeps its compiled form", () => {
  const compiler = new PolicyCompiler();
  const kept = one(json("j"));
  const first = compiler.compile([kept, one(json("k"))]), second = compiler.compile([kept, one(json("k"))]);
  assert.equal(first.jsonPolicies[0], second.jsonPolicies[0]);
  assert.notEqual(first.jsonPolicies[1], second.jsonPolicies[1]);
});

const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

const inNamespace = (namespace: string): string =>
  cel("p").replace("kind: V", "kind: NamespacedV").replace("{name: p}", `{name: p, namespace: ${namespace}}`);

for (
  const [named, policies, references] of [
    [
      "policies it names",
      range(200).map((index) => cel(`p${index}`)),
      range(200).map((index) => ({
        name: `p${index}`,
        kind: "ValidatingPolicy",
      })),
    ],
    ["namespaces have a policy that it names", range(200).map((index) => inNamespace(`n${index}`)), [
      { name: "p", kind: "NamespacedValidatingPolicy" },
    ]],
  ] as const
) {
  Deno.test(`an exception from policies in CEL is compiled once, however many ${named}`, () => {
    const documents = [...policies, celException("p0")].map(one);
    const exempting = documents.at(-1)!.value as { spec: Record<string, Json> };
    exempting.spec["policyRefs"] = references;
    exempting.spec["matchConditions"] = range(500).map((index) => ({
      name: `c${index}`,
      expression: `object.metadata.name != 'x${index}' && object.metadata.namespace.startsWith('y')`,
    }));
    quickly(5_000, () => assert.deepEqual(new PolicyCompiler().compile(documents).diagnostics, []));
  });
}

Deno.test("an admission policy is compiled once, however many bindings it has", () => {
  const policy = one(bound("p"));
  (policy.value as { spec: Record<string, Json> }).spec["validations"] = range(300).map((index) => ({
    expression: `object.metadata.name != 'x${index}' && object.metadata.namespace.startsWith('y')`,
  }));
  const bindings = range(500).map((index) => one(binding("p").replace("{name: ", `{name: x${index}-`)));
  quickly(5_000, () => {
    const { policies: [bound], diagnostics } = new PolicyCompiler().compile([policy, ...bindings]);
    assert.deepEqual([diagnostics, bound!.rules.length], [[], 500]);
  });
});

Deno.test("many mutations of one policy are compared with one another in time in proportion to their number", () => {
  const rule = (index: number): string =>
    `{name: r${index}, match: {any: [{resources: {kinds: [Service]}}]}, ` +
    `mutate: {patchStrategicMerge: {metadata: {labels: {same: a${index}, l${index}: b}}}}}`;
  const policy = (count: number): string =>
    `{apiVersion: kyverno.io/v1, kind: ClusterPolicy, metadata: {name: p}, spec: {rules: [${
      range(count).map(rule).join(", ")
    }]}}`;
  const conflicts = (count: number): number =>
    new PolicyCompiler().compile([one(policy(count))]).diagnostics.length;
  assert.equal(conflicts(3), 3, "each later rule conflicts with the earlier ones");
  quickly(3_000, () => assert.ok(conflicts(1_000) < 21_000));
});
