/** Every example of the assertion tree documentation, as a ValidatingPolicy of json.kyverno.io over its payload. */
import assert from "node:assert/strict";
import { compile, type JsonResult, scanPayload } from "../../lib/engine/mod.ts";
import { isFault, type Json } from "../../lib/json/mod.ts";
import { failureText } from "../../lib/rules/mod.ts";
import { parseDocuments, parseYaml } from "../../lib/yaml/mod.ts";

const ports = { clock: { now: () => 0 }, entropy: { next: () => 0 } };

function yaml(text: string): Json {
  const value = parseYaml(text);
  assert.ok(!isFault(value));
  return value;
}

/** Scans a payload with a policy of these rules, and returns the results. */
function scan(rules: string, payload: string): readonly JsonResult[] {
  const policy = `apiVersion: json.kyverno.io/v1alpha1
kind: ValidatingPolicy
metadata:
  name: test
spec:
  rules:
${rules}`;
  const { jsonPolicies, diagnostics } = compile(parseDocuments(policy, "policy.yaml").documents);
  assert.deepEqual(diagnostics, []);
  return scanPayload(jsonPolicies, yaml(payload), ports);
}

/** `pass`, the texts of what fails, or `no result`. */
function said(rules: string, payload: string): string {
  const [result] = scan(rules, payload);
  if (result === undefined) return "no result";
  const { failures, error } = result;
  return result.result === "fail" ? failures.map(failureText).join("; ") : `${result.result}${error}`;
}

const noDefaultAccount = `
  - name: foo-bar
    match:
      all:
      - apiVersion: v1
        kind: Pod
    assert:
      all:
      - message: "serviceAccountName 'default' is not allowed"
        check:
          spec:
            (serviceAccountName == 'default'): false
`;

const detailed = `
  - name: foo-bar-4
    validate:
      assert:
        all:
        - message: "..."
          check:
            foo:
              (bar > \`3\`): true
              (!baz): false
              (bar + bat): 10
`;

const wholeArray = `
  - name: foo-bar
    validate:
      assert:
        all:
        - foo:
            bar:
            - 1
            - 2
            - 3
`;

const eachElement = `
  - name: foo-bar
    validate:
      assert:
        all:
        - foo:
            ~.bar:
              (@ < \`5\`): true
`;

const elementWithIndex = `
  - name: foo-bar
    validate:
      assert:
        all:
        - foo:
            ~index_name.bar:
              ($index_name < \`3\`): true
`;

const keyOfMap = `
  - name: foo-bar
    validate:
      assert:
        all:
        - ~key.foo:
            (contains(['bar', 'bat'], $key)): true
`;

const sum = `
  - name: foo-bar
    validate:
      assert:
        all:
        - foo:
            (bar + bat)->sum:
              ($sum): 10
`;

const shadowed = `
  - name: foo-bar
    validate:
      assert:
        all:
        - foo:
            (bar + bat)->sum:
              ($sum + $sum)->sum:
                ($sum): 20
              ($sum): 10
`;

const escaped = `
  - name: foo-bar
    validate:
      assert:
        all:
        - foo:
            \\(bar)\\: 10
`;

const cases: [name: string, rules: string, payload: string, said: string][] = [
  [
    "a pod with another service account passes",
    noDefaultAccount,
    "{apiVersion: v1, kind: Pod, spec: {serviceAccountName: web}}",
    "pass",
  ],
  [
    "a pod with the default service account fails with the message",
    noDefaultAccount,
    "{apiVersion: v1, kind: Pod, spec: {serviceAccountName: default}}",
    "-> serviceAccountName 'default' is not allowed\n -> spec.(serviceAccountName == 'default'): Invalid value: true: Expected value: false",
  ],
  [
    "an object that is no pod is not evaluated",
    noDefaultAccount,
    "{apiVersion: v1, kind: Service, spec: {serviceAccountName: default}}",
    "no result",
  ],
  ["the detailed example holds", detailed, "foo: {baz: true, bar: 4, bat: 6}", "pass"],
  [
    "the detailed example fails at the expected path",
    detailed,
    "foo: {baz: false, bar: 2, bat: 6}",
    "-> ...\n -> foo.(bar > `3`): Invalid value: false: Expected value: true\n -> foo.(!baz): Invalid value: true: Expected value: false\n -> foo.(bar + bat): Invalid value: 8: Expected value: 10",
  ],
  ["an array is compared as a whole", wholeArray, "foo: {bar: [1, 2, 3]}", "pass"],
  [
    "an array in another order is another array",
    wholeArray,
    "foo: {bar: [1, 3, 2]}",
    " -> foo.bar[1]: Invalid value: 3: Expected value: 2\n -> foo.bar[2]: Invalid value: 2: Expected value: 3",
  ],
  ["~ evaluates each element", eachElement, "foo: {bar: [1, 2, 3]}", "pass"],
  [
    "~ names the element that fails",
    eachElement,
    "foo: {bar: [1, 5, 3]}",
    " -> foo.~.bar[1].(@ < `5`): Invalid value: false: Expected value: true",
  ],
  ["~name. binds the index", elementWithIndex, "foo: {bar: [a, b, c]}", "pass"],
  [
    "~name. binds the index of each element",
    elementWithIndex,
    "foo: {bar: [a, b, c, d]}",
    " -> foo.~index_name.bar[3].($index_name < `3`): Invalid value: false: Expected value: true",
  ],
  ["~name. binds the key of a map's entry", keyOfMap, "foo: {bar: 4, bat: 6}", "pass"],
  [
    "~name. binds each key of a map",
    keyOfMap,
    "foo: {bar: 4, other: 6}",
    " -> ~key.foo[other].(contains(['bar', 'bat'], $key)): Invalid value: false: Expected value: true",
  ],
  ["->name binds a value for descendants", sum, "foo: {bar: 4, bat: 6}", "pass"],
  [
    "->name binds the present value",
    sum,
    "foo: {bar: 4, bat: 7}",
    " -> foo.(bar + bat)->sum.($sum): Invalid value: 11: Expected value: 10",
  ],
  [
    "an inner binding of the same name does not change the outer one",
    shadowed,
    "foo: {bar: 4, bat: 6}",
    "pass",
  ],
  ["an escaped projection is a key", escaped, 'foo: {"(bar)": 10, "(baz)": [1, 2, 3]}', "pass"],
  [
    "an escaped projection is compared as any key",
    escaped,
    'foo: {"(bar)": 4, "(baz)": [1, 2, 3]}',
    " -> foo.\\(bar)\\: Invalid value: 4: Expected value: 10",
  ],
];
for (const [name, rules, payload, expected] of cases) {
  Deno.test(`assertion trees: ${name}`, () => assert.equal(said(rules, payload), expected));
}

const builtin: [name: string, tree: string][] = [
  ["$payload is the whole payload", "foo: {(bar == $payload.foo.bar): true}"],
  ["$policy is the policy", "($policy.metadata.name): test"],
  ["$rule is the rule", "($rule.name): foo-bar"],
  ["a name may hide a built-in binding", "foo: {(bar)->payload: {($payload): 4}}"],
];
for (const [name, tree] of builtin) {
  Deno.test(`assertion trees: ${name}`, () => {
    const rules = `  - {name: foo-bar, assert: {all: [{check: {${tree}}}]}}\n`;
    assert.equal(said(rules, "foo: {bar: 4, bat: 6}"), "pass");
  });
}

Deno.test("assertion trees: ~ and -> go together with an escaped projection", () => {
  // `\baz\@foo` and `~index.\baz\@foo` bind with the documentation's older sign.
  const keys = ["~index.\\baz\\", "\\baz\\@foo", "~index.\\baz\\@foo", "\\baz\\->foo", "~index.\\baz\\->foo"];
  for (const key of keys) {
    const uses = [
      ...(key.startsWith("~") ? ["($index < `2`): true"] : []),
      ...(/(?:@|->)foo$/.test(key) ? ["(length($foo) > `0`): true"] : []),
    ];
    const rules = `
  - name: foo-bar
    assert:
      all:
      - check:
          ${key}:
            ${uses.join("\n            ")}
`;
    assert.equal(said(rules, "baz: [a, b]"), "pass", key);
  }
});
