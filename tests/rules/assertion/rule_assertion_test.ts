import assert from "node:assert/strict";
import { isFault, type Json } from "../../../lib/json/mod.ts";
import { compileRuleAssertion } from "../../../lib/rules/assertion/mod.ts";
import { compilers, expressionInput } from "./tools.ts";

const payload = {
  object: { spec: { hostNetwork: true, containers: [{ image: "a:latest" }, { image: "b:1" }] } },
  oldObject: {},
  operation: "CREATE",
};

const cases: [name: string, tree: Json, result: readonly string[] | string][] = [
  ["the tree itself", { object: { spec: { hostNetwork: true } }, operation: "CREATE" }, []],
  ["each violated leaf", {
    object: { spec: { hostNetwork: false, "~.containers": { "(ends_with(image, ':latest'))": false } } },
  }, [
    "object.spec.hostNetwork: Invalid value: true: Expected value: false",
    "object.spec.~.containers[0].(ends_with(image, ':latest')): Invalid value: true: Expected value: false",
  ]],
  ["the block form with messages", {
    any: [{ message: "no host network", check: { object: { spec: { hostNetwork: false } } } }],
  }, ["no host network: object.spec.hostNetwork: Invalid value: true: Expected value: false"]],
  ["the block form without check", { all: [{ object: { spec: { hostNetwork: true } } }] }, []],
  [
    "what cannot be checked",
    { object: { spec: "x" } },
    "failed to apply assertion: object.spec: Internal error: types are not comparable, string - map",
  ],
  [
    "a syntax error",
    { "(a b)": 1 },
    'failed to apply assertion: assert.(a b): Invalid value: "a b": SyntaxError: expected the end of the expression, found b at character 3',
  ],
];
for (const [name, tree, result] of cases) {
  Deno.test(`validate.assert evaluates ${name}`, () => {
    const texts = compileRuleAssertion(tree, compilers).check(payload, expressionInput());
    assert.deepEqual(isFault(texts) ? texts.message : texts, result);
  });
}

const many = { object: { spec: { tolerations: Array.from({ length: 200_000 }, () => ({})) } } };

Deno.test("validate.assert stops at thousands of violations, and the payload is violated", () => {
  const tree = { object: { spec: { "~.tolerations": { "(key || '')": "x" } } } };
  const texts = compileRuleAssertion(tree, compilers).check(many, expressionInput());
  assert.ok(!isFault(texts));
  assert.ok(texts.length > 100 && texts.length < 5_000, `${texts.length}`);
});

Deno.test("validate.assert is a fault when it visits too many values and none violates it", () => {
  const tree = { object: { spec: { "~.tolerations": { "(key || '')": "" } } } };
  const texts = compileRuleAssertion(tree, compilers).check(many, expressionInput());
  assert.ok(isFault(texts));
  assert.match(texts.message, /more than 2000000 steps/);
});
