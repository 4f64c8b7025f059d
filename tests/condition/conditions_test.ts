/** Dialects, variables, explanations, and diagnostics at load. */
import assert from "node:assert/strict";
import {
  compileConditions,
  conditionCompilations,
  type ConditionOptions,
  type Conditions,
  type ObservedCondition,
} from "../../lib/condition/mod.ts";
import { compilations } from "../../lib/jmespath/mod.ts";
import { isFault, type Json, type Scope, scopeOf } from "../../lib/json/mod.ts";
import { patternCompilations } from "../../lib/pattern/mod.ts";
import { templateCompilations } from "../../lib/template/mod.ts";
import { environment, verdictOf } from "./evaluate.ts";

function compiled(conditions: Json, options: Partial<ConditionOptions> = {}): Conditions {
  const result = compileConditions(conditions, { dialect: "current", evaluator: "rule", ...options });
  assert.ok(!isFault(result));
  return result;
}

const pod: Json = {
  request: {
    operation: "CREATE",
    object: { metadata: { labels: { app: "web" }, name: "n" } },
    oldObject: null,
  },
};

/** The second condition of the documentation's example: a label that the resource does not have. */
const colour = { key: "{{request.object.metadata.labels.color}}", operator: "Equals", value: "blue" };
const app = { key: "{{request.object.metadata.labels.app}}", operator: "Equals", value: "web" };

Deno.test("classic: a variable without a value is an empty string", () => {
  const dialect = "classic";
  assert.deepEqual(verdictOf({ any: [colour, app] }, pod, { dialect }), { holds: true, message: "" });
  const empty = { ...colour, value: "" };
  assert.deepEqual(verdictOf({ all: [empty] }, pod, { dialect }), { holds: true, message: "" });
  const inText = { ...colour, key: "x{{ request.object.metadata.labels.color }}y", value: "xy" };
  assert.deepEqual(verdictOf([inText], pod, { dialect }), { holds: true, message: "" });
  const asValue = { key: "", operator: "Equals", value: "{{ request.object.spec.zz }}" };
  assert.deepEqual(verdictOf([asValue], pod, { dialect }), { holds: true, message: "" });
});

const broken: readonly (readonly [what: string, key: string, fault: RegExp])[] = [
  ["a text that is no JSON", "{{ parse_json(request.object.metadata.name) }}", /invalid character/],
  ["a text that is no base64", "{{ base64_decode('%%%') }}", /illegal base64 data/],
  ["a division by zero", "{{ divide(`1`, `0`) }}", /Zero divisor/],
  ["a value of another type", "{{ to_upper(request.object.metadata) }}", /Invalid type/],
  [
    "a result that is too large",
    "{{ replace_all(text, 'a', text) }}",
    /replace_all.: the result would have more than/,
  ],
  ["a function that does not exist", "{{ pad_left('x', `1`) }}", /unknown function/],
  ["too many steps", "{{ map(&map(&map(&@, `[1]`), `[1]`), parse_json(to_string(many))) }}", /steps/],
  ["a variable that nothing declares", "{{ team }}", /Unknown key "team"/],
  ["a part of a variable that nothing declares", "{{ team.name }}", /Unknown key "team"/],
  ["a loop's element outside of a loop", "{{ element.name }}", /Unknown key "element"/],
];
for (const [what, key, fault] of broken) {
  Deno.test(`both dialects: ${what} is a fault, not an empty string`, () => {
    const many = Array.from({ length: 1_000_000 }, () => 1), text = "a".repeat(100_000);
    for (const dialect of ["classic", "current"] as const) {
      const result = verdictOf([{ key, operator: "Equals", value: "" }], { ...pod, many, text }, { dialect });
      assert.match(String(result), fault);
    }
  });
}

Deno.test("classic: variables that only some requests have are empty strings", () => {
  for (const key of ["{{ serviceAccountName }}", "{{ images.containers.web.tag }}", "{{ request.zz.a }}"]) {
    const condition = { key, operator: "Equals", value: "" };
    assert.deepEqual(verdictOf([condition], pod, { dialect: "classic" }), { holds: true, message: "" }, key);
  }
});

Deno.test("current: a variable without a value is a fault", () => {
  assert.equal(
    verdictOf({ any: [colour, app] }, pod),
    "failed to substitute variables in condition key: failed to resolve request.object.metadata.labels.color " +
      'at path : JMESPath query failed: Unknown key "color" in path',
  );
  assert.match(
    String(verdictOf([{ key: ["a", "{{ zz }}"], operator: "AnyIn", value: ["a"] }], {})),
    /^failed to substitute variables in condition key: failed to resolve zz at path \/1: /,
  );
  assert.match(
    String(verdictOf([{ key: "a", operator: "AnyIn", value: "{{ zz }}" }], {})),
    /^failed to substitute variables in condition value: failed to resolve zz at path : /,
  );
});

Deno.test("classic: outside rules a variable without a value is a fault", () => {
  for (const evaluator of ["blocks", "exception"] as const) {
    const conditions = evaluator === "blocks" ? [{ any: [colour] }] : { any: [colour] };
    assert.match(
      String(verdictOf(conditions, pod, { dialect: "classic", evaluator })),
      /^failed to substitute/,
    );
  }
});

Deno.test("both dialects: null is null, and no operator holds for it", () => {
  const condition = { key: "{{ request.oldObject.metadata.name }}", operator: "NotEquals", value: "x" };
  for (const dialect of ["classic", "current"] as const) {
    assert.deepEqual(verdictOf([condition], pod, { dialect }), { holds: false, message: "" });
  }
});

Deno.test("a value from the request is no template, and only the policy's wildcards count", () => {
  const data = { evil: "{{ secret }}", secret: "s" };
  assert.deepEqual(verdictOf([{ key: "{{ evil }}", operator: "Equals", value: "s" }], data), {
    holds: false,
    message: "",
  });
  assert.deepEqual(verdictOf([{ key: "{{ evil }}", operator: "Equals", value: "\\{{ secret }}" }], data), {
    holds: true,
    message: "",
  });
});

Deno.test("conditions without variables are decided at load", () => {
  const conditions = compiled({
    all: [{ key: "1Gi", operator: "Equals", value: "1024Mi", message: "same" }],
  });
  assert.deepEqual(conditions.constant, { holds: true, message: "same" });
  assert.equal(compiled([app]).constant, undefined);
  assert.ok(isFault(compiled([{ key: 1, operator: "Nope", value: 1 }]).constant));
});

Deno.test("conditions list their variables with their paths", () => {
  const conditions = compiled({
    any: [{ key: "{{ a.b }}", operator: "AnyIn", value: ["x", "{{ c }}"] }],
    all: [{ key: "k", operator: "Equals", value: { f: "{{ @.d }}" } }],
  });
  assert.deepEqual(conditions.uses.map(({ expression, path }) => [expression, path]), [
    ["a.b", ["any", 0, "key"]],
    ["c", ["any", 0, "value", 1]],
    ["@.d", ["all", 0, "value", "f"]],
  ]);
  assert.deepEqual(conditions.uses.flatMap(({ names }) => names).slice(0, 2), ["a", "c"]);
});

const problems: [what: string, conditions: Json, path: Json, message: RegExp, hint: RegExp][] = [
  [
    "a misspelt operator",
    [{ key: 1, operator: "Equlas", value: 1 }],
    [0],
    /no operator "Equlas"/,
    /did you mean Equals/,
  ],
  ["no operator", { any: [{ key: 1, value: 1 }] }, ["any", 0], /has no operator/, /operators are Equals, /],
  [
    "an ordering operator in the wrong case",
    [{ key: 1, operator: "lessthan", value: 2 }],
    [0],
    /never holds/,
    /write LessThan/,
  ],
  [
    "a deprecated operator",
    [{ key: 1, operator: "NotIn", value: [] }],
    [0],
    /deprecated and will be removed soon\. Use these instead: \["AllNotIn" "AnyNotIn"\]$/,
    /^$/,
  ],
  ["any without conditions", { any: [] }, ["any"], /never holds/, /add a condition/],
  [
    "a condition without any or all",
    { key: 1, operator: "Equals", value: 2 },
    [],
    /not evaluated/,
    /under all/,
  ],
];
for (const [what, conditions, path, message, hint] of problems) {
  Deno.test(`loading conditions reports ${what}`, () => {
    const [problem, ...others] = compiled(conditions).problems;
    assert.ok(problem !== undefined);
    assert.deepEqual(others, []);
    assert.deepEqual(problem.path, path);
    assert.match(problem.message, message);
    assert.match(problem.hint ?? "", hint);
  });
}

Deno.test("loading conditions reports a reference to a missing path", () => {
  const [problem] = compiled([{ key: "$(./../x)", operator: "Equals", value: 1 }]).problems;
  assert.deepEqual([problem?.code, problem?.path], ["broken-template", [0, "key"]]);
});

Deno.test("observe() receives every condition that is evaluated, with its operands and as it is written", () => {
  const notReached = { key: "not", operator: "Equals", value: "reached" };
  const atLeastTwo = { key: "{{ n }}", operator: "greaterthanorequals", value: 2, message: "m" };
  const itself = { key: "{{ n }}", operator: "Equal", value: "{{ n }}" };
  const among = { key: "a", operator: "AnyIn", value: ["b"] };
  const conditions = compiled({ any: [atLeastTwo, itself, notReached], all: [among, notReached] });
  const seen: ObservedCondition[] = [];
  conditions.evaluate(scopeOf({ n: 3 }), environment, (condition) => void seen.push(condition));
  const common = { message: "", key: 3 };
  assert.deepEqual(seen, [
    {
      ...common,
      path: ["any", 0],
      operator: "GreaterThanOrEquals",
      written: atLeastTwo,
      value: 2,
      message: "m",
      result: false,
    },
    { ...common, path: ["any", 1], operator: "Equals", written: itself, value: 3, result: true },
    {
      ...common,
      path: ["all", 0],
      operator: "AnyIn",
      written: among,
      key: "a",
      value: ["b"],
      result: false,
    },
  ]);
});

Deno.test("observe() receives faults too", () => {
  const seen: ObservedCondition[] = [];
  const conditions = compiled([{ key: "a", operator: "Equals", value: "{{ zz }}" }]);
  const verdict = conditions.evaluate(scopeOf({}), environment, (condition) => void seen.push(condition));
  assert.equal(seen.length, 1);
  assert.equal(seen[0]!.key, "a");
  assert.equal(seen[0]!.result, verdict);
});

Deno.test("evaluating compiles nothing", () => {
  const conditions = compiled({
    any: [
      { key: "{{ request.object.metadata.name }}", operator: "Equals", value: "web-*" },
      { key: "{{ request.object.metadata.labels }}", operator: "AllNotIn", value: "1-10" },
      { key: "{{ request.operation }}", operator: "AnyIn", value: ["C*", "DELETE"] },
    ],
  });
  const counts =
    () => [templateCompilations(), compilations(), conditionCompilations(), patternCompilations()];
  const before = counts();
  for (let round = 0; round < 3; round++) conditions.evaluate(scopeOf(pod), environment);
  assert.deepEqual(counts(), before);
});

Deno.test("a condition does not read a value that it does not need", () => {
  const evaluated: string[] = [];
  const scope: Scope = {
    get: (name) => {
      evaluated.push(name);
      return name === "a" ? "x" : undefined;
    },
    all: () => ({}),
  };
  const conditions = compiled({
    any: [{ key: "{{ a }}", operator: "Equals", value: "x" }, {
      key: "{{ b }}",
      operator: "Equals",
      value: "x",
    }],
  });
  conditions.evaluate(scope, environment);
  assert.ok(!evaluated.includes("b"));
});
