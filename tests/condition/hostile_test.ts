/** Large and odd values neither break conditions nor hold them up. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { compileConditions, operatorNames } from "../../lib/condition/mod.ts";
import { isFault, type Json, scopeOf } from "../../lib/json/mod.ts";
import { environment, verdictOf } from "./evaluate.ts";
import { quickly } from "../support/processor_time.ts";

const many = Array.from({ length: 10_000 }, (_, index) => `name-${index}`);
const others = Array.from({ length: 10_000 }, (_, index) => `other-${index}`);
const wild = Array.from({ length: 10_000 }, (_, index) => `*na?me-${index}*`);
const million = "a".repeat(1_000_000);

const cases: [what: string, key: Json, value: Json][] = [
  ["two lists of 10,000", many, others],
  ["a list of 10,000 and a megabyte of text", many, million],
  ["a megabyte of text and a list of 10,000", million, many],
  ["two megabytes of text", million, `${million}b`],
  ["a megabyte of a wildcard", `${"*a".repeat(500_000)}b`, ["x", "y"]],
  ["a megabyte of JSON", "x", JSON.stringify(many)],
  ["a megabyte of open brackets", "x", "[".repeat(1_000_000)],
  ["a number with a million digits", "1".repeat(1_000_000), "2".repeat(1_000_000)],
  ["a range with a million digits", "5", `1-${"9".repeat(1_000_000)}`],
];
for (const [what, key, value] of cases) {
  Deno.test(`every operator takes ${what} in time`, () => {
    for (const operator of operatorNames()) {
      for (
        const condition of [{ key: "{{ k }}", operator, value }, {
          key: "{{ k }}",
          operator,
          value: "{{ v }}",
        }]
      ) {
        quickly(2000, () => void verdictOf([condition], { k: key, v: value }));
      }
    }
  });
}

Deno.test("set operators take lists of 100,000 elements, and longer ones are a fault: one comparison cannot pause", () => {
  const longest: Json = Array.from({ length: 100_000 }, (_, index) => index), longer: Json = [...longest, 1];
  for (const operator of ["AnyIn", "AllIn", "AnyNotIn", "AllNotIn", "In", "NotIn"]) {
    const condition = { key: "{{ k }}", operator, value: "{{ v }}" };
    const verdict = (k: Json, v: Json): string => JSON.stringify(verdictOf([condition], { k, v }));
    assert.match(verdict(longest, ["a"]), /"holds"/, operator);
    const tooLong: [key: Json, value: Json][] = [[longer, ["a"]], [["a"], longer], ["a", longer]];
    for (const [key, value] of tooLong) {
      assert.match(verdict(key, value), /a list of 100001 elements, at most 100000 are allowed/, operator);
    }
  }
});

Deno.test("two lists of wildcards that would take minutes are a fault", () => {
  const condition = { key: "{{ k }}", operator: "AnyIn", value: "{{ v }}" };
  quickly(2000, () => {
    assert.match(String(verdictOf([condition], { k: wild, v: others })), /too long or too many/);
  });
});

Deno.test("two texts with wildcards that would take minutes are a fault", () => {
  const pattern = `*${"a?".repeat(20_000)}b`, text = "a".repeat(100_000);
  for (const operator of ["Equals", "NotEquals", "AnyIn", "AllNotIn", "In", "NotIn"]) {
    const condition = { key: "{{ k }}", operator, value: "{{ v }}" };
    quickly(2000, () => {
      assert.match(String(verdictOf([condition], { k: text, v: pattern })), /too long or too many/);
    });
  }
});

Deno.test("two texts are compared in time that is linear in both, however many stars and letters there are", () => {
  const text = "a".repeat(1_000_000), half = "a".repeat(10_000);
  for (const pattern of [`${"*a?".repeat(200_000)}b`, `*${half}c${half}*`, `*b${half}*`]) {
    const condition = { key: "{{ k }}", operator: "Equals", value: "{{ v }}" };
    quickly(
      2000,
      () => assert.deepEqual(verdictOf([condition], { k: text, v: pattern }), { holds: false, message: "" }),
    );
  }
});

Deno.test("deeply nested data is compared and printed up to a depth", () => {
  let deep: Json = "x";
  for (let depth = 0; depth < 5000; depth++) deep = [deep];
  for (const operator of operatorNames()) {
    const condition = { key: "{{ k }}", operator, value: "{{ k }}" };
    assert.equal(typeof verdictOf([condition], { k: [deep] }), "object");
  }
});

Deno.test("names that every object inherits are ordinary names", () => {
  for (const operator of operatorNames()) {
    const condition = { key: "{{ k }}", operator, value: ["constructor", "__proto__"] };
    assert.equal(typeof verdictOf([condition], { k: JSON.parse('{"__proto__": 1}') as Json }), "object");
  }
  assert.deepEqual(verdictOf([{ key: "toString", operator: "AnyIn", value: ["x"] }], {}), {
    holds: false,
    message: "",
  });
  assert.match(String(verdictOf([{ key: 1, operator: "toString", value: 1 }], {})), /there is no operator/);
});

Deno.test("any key and value give a verdict, with every operator", () => {
  const text = fc.oneof(
    fc.constantFrom("1-10", "!x", ">5", "1h", "1Gi", "1.2.3", "[]", '["a"]', "*", "?", ""),
    fc.string(),
  );
  const json = fc.letrec((tie) => ({
    value: fc.oneof(
      text,
      fc.double({ noNaN: true }),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie("value"), { maxLength: 3 }),
    ),
  })).value as fc.Arbitrary<Json>;
  fc.assert(fc.property(fc.constantFrom(...operatorNames()), json, json, (operator, k, v) => {
    const verdict = verdictOf([{ key: "{{ k }}", operator, value: "{{ v }}" }], { k, v });
    assert.equal(typeof verdict, "object");
  }));
});

Deno.test("for keys that are not null NotEquals is the opposite of Equals", () => {
  const value = fc.oneof(
    fc.string(),
    fc.double({ noNaN: true }),
    fc.boolean(),
    fc.constantFrom("1h", "60m", "1Gi", "5", "nginx:*"),
  );
  fc.assert(fc.property(value, value, (k, v) => {
    const holds = (operator: string) => {
      const verdict = verdictOf([{ key: "{{ k }}", operator, value: "{{ v }}" }], { k, v });
      return typeof verdict === "object" && verdict.holds;
    };
    assert.notEqual(holds("Equals"), holds("NotEquals"));
  }));
});

const setOperators = ["AnyIn", "AllIn", "AnyNotIn", "AllNotIn", "In", "NotIn"];

for (
  const [what, element] of [
    ["numbers", (index: number): Json => index + 0.5],
    ["objects", (index: number): Json => ({ a: index, b: "x" })],
    ["lists", (index: number): Json => [[index]]],
  ] as const
) {
  Deno.test(`the steps of printing ${what} are taken before they are printed`, () => {
    const list = Array.from({ length: 100_000 }, (_, index) => element(index));
    const conditions = compileConditions(
      { all: setOperators.map((operator) => ({ key: "{{ k }}", operator, value: "{{ k }}" })) },
      { dialect: "current", evaluator: "rule" },
    );
    assert.ok(!isFault(conditions));
    const budget = { left: 4_000_000 };
    quickly(150, () => {
      const verdict = conditions.evaluate(scopeOf({ k: list }), { ...environment, budget });
      assert.ok(isFault(verdict));
      assert.match(verdict.message, /lists or objects that have too many parts/);
    });
  });
}

Deno.test("a text with a JSON list is bounded as a list is", () => {
  const text = JSON.stringify(Array.from({ length: 300_000 }, (_, index) => `n${index}`));
  for (const operator of setOperators) {
    for (const key of [["a", "b"], "a"]) {
      const verdict = verdictOf([{ key: "{{ k }}", operator, value: "{{ v }}" }], { k: key, v: text });
      assert.match(String(verdict), /compares a list of 300000 elements/);
    }
  }
});

Deno.test("many short texts and many short patterns are a fault", () => {
  const keys = Array.from({ length: 4_000 }, (_, index) => String(index % 10));
  const patterns = Array.from({ length: 4_000 }, () => "?a");
  for (const [k, v] of [[keys, patterns], [patterns, keys]]) {
    quickly(200, () => {
      assert.match(
        String(verdictOf([{ key: "{{ k }}", operator: "AnyIn", value: "{{ v }}" }], { k: k!, v: v! })),
        /wildcards that are too long or too many/,
      );
    });
  }
});

for (
  const [what, text] of [
    ["a duration", "1h".repeat(1_400_000)],
    ["a number", "1".repeat(2_800_000)],
    ["a version", "1.".repeat(1_400_000)],
    ["a pattern", "*a".repeat(1_400_000)],
    ["characters of a pattern", "?".repeat(2_800_000)],
  ] as const
) {
  Deno.test(`parsing a text of megabytes that may be ${what} takes a step for each four characters`, () => {
    for (const operator of operatorNames()) {
      for (const [k, v] of [[text, "5h"], ["5h", text]] as const) {
        const budget = { left: 4_000_000 };
        const conditions = compileConditions([{ key: "{{ k }}", operator, value: "{{ v }}" }], {
          dialect: "current",
          evaluator: "rule",
        });
        assert.ok(!isFault(conditions));
        conditions.evaluate(scopeOf({ k, v }), { ...environment, budget });
        assert.ok(4_000_000 - budget.left >= text.length / 4, operator);
      }
    }
  });
}

Deno.test("patterns of a list take the steps of making wildcards of them", () => {
  const patterns = Array.from({ length: 10_000 }, (_, index) => `*${index}*z*`);
  const conditions = compileConditions([{ key: "{{ k }}", operator: "AnyIn", value: "{{ v }}" }], {
    dialect: "current",
    evaluator: "rule",
  });
  assert.ok(!isFault(conditions));
  const budget = { left: 4_000_000 };
  conditions.evaluate(scopeOf({ k: "a", v: patterns }), { ...environment, budget });
  assert.ok(4_000_000 - budget.left >= 40 * 10_000, String(budget.left));
});
