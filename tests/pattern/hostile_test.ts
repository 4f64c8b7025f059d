/** Input that was made to do harm: it may be refused, but neither overflow the stack nor take long. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { isFault, type Json } from "../../lib/json/mod.ts";
import { compileMatcher, compilePattern, compileScalar, patternCompilations } from "../../lib/pattern/mod.ts";
import { compile, failureOf } from "./compile.ts";
import { processorTime } from "../support/processor_time.ts";

function nested(levels: number): Json {
  let value: Json = "x";
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

Deno.test("the compiler refuses patterns that are nested too deeply", () => {
  assert.ok(isFault(compilePattern(nested(100_000))));
  assert.ok(isFault(compileMatcher(nested(100_000))));
  assert.equal(compile(nested(300)).check(nested(300)).status, "pass");
});

Deno.test("the compiler refuses patterns that take a minute to compare", () => {
  const run = "a?".repeat(2_049);
  assert.ok(isFault(compilePattern({ a: [{ b: `*${run}*` }] })));
  assert.ok(isFault(compilePattern({ [`*${run}*`]: "b" })));
  assert.ok(!isFault(compilePattern({ a: `*${"a?".repeat(2_000)}*${"?".repeat(4_000)}*` })));
  assert.ok(!isFault(compilePattern({ a: `*${"a".repeat(10_000)}*` })));
});

Deno.test("a resource may be nested deeper than any pattern", () => {
  const failure = failureOf({ a: { b: 1 } }, { a: nested(100_000) });
  assert.equal(failure.path, "/a/b/");
  assert.ok(failureOf({ a: "x" }, { a: nested(100_000) }).message.length < 2000);
});

Deno.test("ten thousand elements are compared one by one, and the message is cut", () => {
  const list = Array.from({ length: 10_000 }, (_, index) => ({ name: `n${index}`, image: "x".repeat(100) }));
  assert.equal(compile({ l: [{ name: "n*" }] }).check({ l: list }).status, "pass");
  assert.equal(compile({ "^(l)": [{ name: "n9999" }] }).check({ l: list }).status, "pass");
  const failure = failureOf({ l: [{ "(name)": "m*" }] }, { l: list });
  assert.equal(failure.status, "skip");
  assert.ok(failure.message.length < 70_000 && failure.message.endsWith("…"));
});

Deno.test("comparing a long text takes linear time", () => {
  const million = 1_000_000;
  const texts = ["0".repeat(million), `${"1".repeat(million)}x`, "1h".repeat(million), "-".repeat(million)];
  const patterns = [5, 1.5, ">5", "1-10", "1h", "*a*b*c*", "?*1x", null, true];
  const begin = processorTime();
  for (const pattern of patterns) {
    const test = compileScalar(pattern);
    for (const text of texts) test(text);
  }
  compileScalar("9".repeat(million));
  compileScalar(`${"9".repeat(million)}-`);
  // Anything quadratic would take hours.
  assert.ok(processorTime() - begin < 5000);
});

Deno.test("names of Object.prototype are ordinary keys", () => {
  for (const key of ["__proto__", "constructor", "toString", "hasOwnProperty"]) {
    const parsed: Json = JSON.parse(`{"${key}": {"a": 1}}`);
    assert.equal(compile(parsed).check(parsed).status, "pass");
    assert.equal(compile(parsed).check({}).status, "fail");
    assert.equal(compile({ [`X(${key})`]: "null" }).check({}).status, "pass");
    assert.equal(compile(JSON.parse(`{"${key}": "*"}`)).check({}).status, "fail");
  }
});

Deno.test("evaluating a static pattern compiles nothing", () => {
  const pattern = compile({
    metadata: { labels: { "app*": "a* | >5 & !7 | 1-10" } },
    spec: { "^(l)": [{ "(a)": "<1Gi", "=(b)": 5, "X(c)": "null" }], "<(d)": null, e: ["5m"], f: "*" },
  });
  const before = patternCompilations();
  for (const app of ["a1", "6", "7", "none"]) {
    pattern.check({
      metadata: { labels: { app1: app, app2: "a" } },
      spec: { l: [{ a: "1Mi", b: "5" }, {}], d: app, e: ["300s"], f: [] },
    });
    pattern.check({ spec: app });
  }
  assert.equal(patternCompilations(), before);
});

Deno.test("any JSON compiles or is refused as a pattern, and any JSON can be compared", () => {
  const text = fc.oneof(
    fc.string(),
    fc.constantFrom("(a)", "=(a)", "^(a)", "X(a)", "<(a)", "metadata", "labels", "a*"),
  );
  const { tree: json } = fc.letrec<{ tree: Json }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 5 },
      fc.constant(null),
      fc.boolean(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      text,
      fc.array(tie("tree"), { maxLength: 4 }),
      fc.dictionary(text, tie("tree"), { maxKeys: 4 }),
    ),
  }));
  fc.assert(fc.property(json, json, (pattern, resource) => {
    const result = compile(pattern).check(resource);
    if (result.status === "pass") return;
    assert.equal(result.path === "", result.status !== "fail");
    assert.notEqual(result.message, "");
    assert.ok(result.element === undefined || typeof result.element === "string");
  }));
});

/** Values that take long to compare, with the least steps that each takes. */
const counted: readonly (readonly [what: string, value: Json, steps: number])[] = [
  ["a text that is a duration", "1h".repeat(500_000), 500_000],
  ["a text that begins as a number", "-".repeat(1_000_000), 500_000],
  ["a list of fractions", Array.from({ length: 10_000 }, (_, index) => index + 0.5), 80_000],
  ["a list of quantities", Array.from({ length: 10_000 }, (_, index) => `1e-9${index % 90}`), 30_000],
];
for (const [what, value, least] of counted) {
  Deno.test(`${what} takes the steps that its comparison with a quantity takes`, () => {
    const budget = { left: 4_000_000 };
    compile({ a: "<2h | <1e999" }).check({ a: value }, undefined, budget);
    assert.ok(4_000_000 - budget.left >= least, `${4_000_000 - budget.left}`);
  });
}

Deno.test("a pattern that a request brings takes steps before it is compiled, and is an error without them", () => {
  const pattern = compilePattern<Json>({ a: "{{ x }}" }, {
    dynamic: (text) => text === "{{ x }}" ? (scope) => scope : undefined,
  });
  assert.ok(!isFault(pattern));
  const small = { left: 4_000_000 };
  assert.equal(pattern.check({ a: [1] }, [1], small).status, "pass");
  assert.ok(small.left > 3_999_900, String(small.left));
  for (const large of [Array.from({ length: 1_000_000 }, () => 1), "a|".repeat(60_000)]) {
    const before = patternCompilations(), few = { left: 100_000 };
    const result = pattern.check({ a: [1] }, large, few);
    assert.equal(result.status, "error");
    assert.ok(few.left < 0);
    assert.equal(patternCompilations(), before);
  }
});
