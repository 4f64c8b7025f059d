import assert from "node:assert/strict";
import { isFault, type Json, type JsonObject } from "../../../lib/json/mod.ts";
import { compileJsonPolicy, type JsonRuleResult, violationText } from "../../../lib/rules/assertion/mod.ts";
import { compilers, expressionInput } from "./tools.ts";

function policy(...rules: JsonObject[]): JsonObject {
  return {
    apiVersion: "json.kyverno.io/v1alpha1",
    kind: "ValidatingPolicy",
    metadata: { name: "p" },
    spec: { rules: rules.map((rule, index) => ({ name: `r${index}`, ...rule })) },
  };
}

function scan(rule: JsonObject, payload: Json, bindings: JsonObject = {}): JsonRuleResult | undefined {
  return compileJsonPolicy(policy(rule), compilers).scan(payload, expressionInput(bindings))[0];
}

function summary(result: JsonRuleResult | undefined): string {
  if (result === undefined) return "no result";
  const { failures, error } = result;
  const texts = failures.flatMap(({ message, violations }) =>
    violations.map((violation) => `${message}|${violationText(violation)}`)
  );
  return [result.result, ...texts, error].filter((text) => text !== "").join(" ");
}

const payload = { kind: "Pod", name: "web", n: 3 };
const holds = { check: { kind: "Pod" } }, fails = { check: { n: 4 }, message: "n of {{ name }}" };

const cases: [name: string, rule: JsonObject, result: string][] = [
  ["all of which every one holds", { assert: { all: [holds, holds] } }, "pass"],
  [
    "all of which one fails",
    { assert: { all: [holds, fails] } },
    "fail n of web|n: Invalid value: 3: Expected value: 4",
  ],
  ["any of which one holds", { assert: { any: [fails, holds] } }, "pass"],
  [
    "any of which none holds",
    { assert: { any: [fails] } },
    "fail n of web|n: Invalid value: 3: Expected value: 4",
  ],
  ["entries without check", { assert: { all: [{ kind: "Pod" }, { n: 3 }] } }, "pass"],
  [
    "assert below validate",
    { validate: { assert: { all: [{ check: { n: 4 } }] } } },
    "fail |n: Invalid value: 3: Expected value: 4",
  ],
  ["an empty assert", { assert: { all: [] } }, "error spec.rules[0].assert: an empty assert is not valid"],
  [
    "an empty match",
    { match: { any: [] }, assert: { all: [holds] } },
    "error spec.rules[0].match: an empty match is not valid",
  ],
  ["a match that holds", { match: { all: [{ kind: "Pod" }] }, assert: { all: [holds] } }, "pass"],
  ["a match that does not hold", { match: { all: [{ kind: "X" }] }, assert: { all: [fails] } }, "no result"],
  ["one tree of any is enough", {
    match: { any: [{ n: 3 }], all: [{ kind: "X" }] },
    assert: { all: [holds] },
  }, "pass"],
  ["an exclude that holds", { exclude: { any: [{ n: 3 }] }, assert: { all: [fails] } }, "no result"],
  [
    "a match that cannot be evaluated",
    { match: { all: [{ kind: 1 }] }, assert: { all: [holds] } },
    "error kind: Internal error: types are not comparable, int64 - string",
  ],
  ["context entries in turn", {
    context: [{ name: "x", variable: "(n)" }, { name: "x", variable: "($x + `1`)" }, {
      name: "y",
      variable: { z: 1 },
    }],
    assert: { all: [{ check: { "($x)": 4, "($y)": { z: 1 } } }] },
  }, "pass"],
  ["a broken context entry that no rule reads", {
    context: [{ name: "x", variable: "($nobody)" }],
    assert: { all: [holds] },
  }, "pass"],
  [
    "a broken context entry",
    {
      context: [{ name: "x", variable: "($nobody)" }],
      assert: { all: [{ check: { "($x)": 1 } }] },
    },
    "error ($x): Internal error: spec.rules[0].context[0].variable: Internal error: variable not defined: $nobody",
  ],
  ["$payload, $policy and $rule", {
    assert: {
      all: [{ check: { "($payload.kind)": "Pod", "($policy.metadata.name)": "p", "($rule.name)": "r0" } }],
    },
  }, "pass"],
  [
    "another default compiler",
    { compiler: "cel", assert: { all: [{ check: { "(object.n + 1)": 4 } }] } },
    "pass",
  ],
  ["a compiler of one entry", { assert: { all: [{ compiler: "cel", check: { "(object.n)": 3 } }] } }, "pass"],
  [
    "a syntax error",
    { assert: { all: [{ check: { "(a b)": 1 } }] } },
    'error spec.rules[0].assert.all[0].check.(a b): Invalid value: "a b": SyntaxError: expected the end of the expression, found b at character 3',
  ],
];
for (const [name, rule, result] of cases) {
  Deno.test(`scan() evaluates ${name}`, () => assert.equal(summary(scan(rule, payload)), result));
}

const messages: [message: string, text: string][] = [
  ["{{ name }} is {{ kind }}", "web is Pod"],
  ["{{ missing }}", "ERR (missing not found)"],
  ["{{ n }}", "ERR (n not a string)"],
  ["{{ to_string(n) }}", "3"],
  [
    "{{ length(n) }}",
    'ERR (length(n) - invalid type for: 3, expected: []functions.JpType{"string", "array", "object"})',
  ],
  ["{{ open", "{{ open"],
  ["{{ evil }}", "{{ name }}"],
];
for (const [message, text] of messages) {
  Deno.test(`the message ${message} reads ${text}`, () => {
    const result = scan({ assert: { all: [{ check: { n: 4 }, message }] } }, {
      ...payload,
      evil: "{{ name }}",
    });
    assert.equal(result!.failures[0]!.message, text);
  });
}

Deno.test("every result has an identifier and feedback", () => {
  const about = {
    identifier: "name",
    feedback: [{ name: "n", value: "(n)" }, { name: "bad", value: "($nobody)" }],
  };
  for (
    const [entry, result] of [[holds, "pass"], [fails, "fail"], [{ check: { kind: 1 } }, "error"]] as const
  ) {
    const found = scan({ ...about, assert: { all: [entry] } }, payload)!;
    assert.deepEqual([found.result, found.identifier, found.feedback.get("n")], [result, "web", 3]);
    const bad = found.feedback.get("bad");
    assert.equal(isFault(bad) && bad.message, "variable not defined: $nobody");
  }
});

Deno.test("a rule with a problem does not stop the others", () => {
  const compiled = compileJsonPolicy(
    policy({ assert: { all: [{ check: { "(a b)": 1 } }] } }, { assert: { all: [holds] } }),
    compilers,
  );
  assert.deepEqual(compiled.problems.map(({ path }) => path), [
    ["spec", "rules", 0, "assert", "all", 0, "check", "(a b)"],
  ]);
  assert.deepEqual(compiled.scan(payload, expressionInput()).map(({ result }) => result), ["error", "pass"]);
});

Deno.test("scan() passes the caller's bindings and accepts any JSON value", () => {
  const rule = { assert: { all: [{ check: { "($limit > length(@))": true } }] } };
  assert.equal(scan(rule, [1, 2], { limit: 3 })!.result, "pass");
  assert.equal(scan(rule, [1, 2, 3], { limit: 3 })!.result, "fail");
  assert.equal(scan({ assert: { all: [{ check: "(@)" }] } }, null)!.result, "pass");
});
