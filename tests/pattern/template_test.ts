/** Patterns with pieces that are only known at the request. */
import assert from "node:assert/strict";
import { Fault, isFault, type Json } from "../../lib/json/mod.ts";
import { type PathStep, patternCompilations, type PatternOptions } from "../../lib/pattern/mod.ts";
import { compile } from "./compile.ts";

type Values = { readonly [name: string]: Json };

/** `{{ name }}` alone stands for a value; a name without one is a fault. */
const options: PatternOptions<Values> = {
  dynamic: (text) => {
    const name = /^\{\{ (\w+) \}\}$/.exec(text)?.[1];
    if (name === undefined) return undefined;
    return (values) => values[name] ?? (name === "null" ? null : new Fault(`no ${name}`));
  },
};

/** A pattern, the values of its templates, a resource, and the outcome: `pass` or the status with path or message. */
const cases:
  readonly (readonly [name: string, pattern: Json, values: Values, resource: Json, outcome: string])[] = [
    ["a string is read as a pattern", { a: "{{ x }}" }, { x: ">5 | n*" }, { a: 6 }, "pass"],
    ["a string keeps its wildcards", { a: "{{ x }}" }, { x: "n*" }, { a: "mn" }, "fail /a/"],
    ["a number is a number", { a: "{{ x }}" }, { x: 5 }, { a: "5.0" }, "fail /a/"],
    ["null matches empty values", { a: "{{ null }}" }, {}, { a: "" }, "pass"],
    ["a single star requires presence", { a: "{{ x }}" }, { x: "*" }, { a: {} }, "pass"],
    ["a single star rejects absence", { m: { a: "{{ x }}" } }, { x: "*" }, { m: {} }, "fail /m/"],
    ["a map is read as a pattern", { a: "{{ x }}" }, { x: { "=(b)": 1 } }, { a: { b: 2 } }, "fail /a/b/"],
    [
      "a list is read as a pattern",
      { a: "{{ x }}" },
      { x: [{ b: 1 }] },
      { a: [{ b: 2 }] },
      "fail /a/0/b/",
    ],
    ["a key may be a template", { "{{ x }}": 1 }, { x: "=(a)" }, { a: 2 }, "fail /a/"],
    ["a key without a value keeps its text", { "{{ null }}": 1 }, {}, { "{{ null }}": 1 }, "pass"],
    [
      "a key must be a string",
      { "{{ x }}": 1 },
      { x: 5 },
      {},
      'error expected string after substituting variables in key "{{ x }}"',
    ],
    [
      "a list of the pattern may contain a template",
      { a: ["{{ x }}"] },
      { x: "n*" },
      { a: ["n", "m"] },
      "fail /a/",
    ],
    ["existence fails when the value is no list", { "^(a)": "{{ x }}" }, { x: "n" }, { a: [] }, "fail /a/"],
    [
      "existence accepts a list as value",
      { "^(a)": "{{ x }}" },
      { x: [{ b: 1 }] },
      { a: [{ b: 1 }] },
      "pass",
    ],
    [
      "a label that becomes a number is dropped like any other",
      { metadata: { labels: { a: "{{ x }}" } } },
      { x: 5 },
      { metadata: { labels: {} } },
      "pass",
    ],
    ["a label that becomes a text is compared", { metadata: { labels: { "a*": "{{ x }}" } } }, { x: "y" }, {
      metadata: { labels: { a1: "z" } },
    }, "fail /metadata/labels/a1/"],
    ["anchors in a value skip", { a: 1, b: "{{ x }}" }, { x: { "(c)": 1 } }, {
      a: 2,
      b: { c: 2 },
    }, "skip conditional anchor mismatch: resource value '2' does not match '1' at path /b/c/"],
    ["a fault anywhere is an error at once", { a: 1, "=(z)": "{{ x }}" }, {}, { a: 2 }, "error no x"],
    ["a fault under a negation is an error", { "X(z)": "{{ x }}" }, {}, {}, "error no x"],
    ["a fault in an unused element is an error", { a: [{ b: 1 }, "{{ x }}"] }, {}, { a: [] }, "error no x"],
    ["values are no templates", { a: "{{ x }}" }, { x: "{{ y }}" }, { a: "{{ y }}" }, "pass"],
    ["values inside maps are no templates", { a: "{{ x }}" }, { x: { b: "{{ y }}" } }, {
      a: { b: "{{ y }}" },
    }, "pass"],
    [
      "maps around a templated key are rebuilt",
      { m: { n: { "{{ x }}": "{{ y }}" }, o: [1, "{{ y }}"] } },
      {
        x: "k",
        y: "v*",
      },
      { m: { n: { k: "v1" }, o: [1] } },
      "pass",
    ],
  ];
for (const [name, pattern, values, resource, outcome] of cases) {
  Deno.test(`templates: ${name}`, () => {
    const result = compile(pattern, options).check(resource, values);
    const actual = result.status === "pass"
      ? "pass"
      : `${result.status} ${result.status === "fail" ? result.path : result.message}`;
    assert.equal(actual, outcome);
  });
}

Deno.test("a fault of a template is the result of the pattern", () => {
  const result = compile({ a: "{{ x }}" }, options).check({}, {});
  assert.ok(result.status === "error" && isFault(result.fault));
});

Deno.test("the compiler passes each string and key once, with its path", () => {
  const offered: (readonly [string, readonly PathStep[]])[] = [];
  compile<void>({ b: ["x", { "(c)": "y" }], a: 1 }, {
    dynamic: (text, path) => {
      offered.push([text, path]);
      return undefined;
    },
  });
  assert.deepEqual(offered, [
    ["a", []],
    ["b", []],
    ["x", ["b", 0]],
    ["(c)", ["b", 1]],
    ["y", ["b", 1, "(c)"]],
  ]);
});

Deno.test("equal strings are compiled once", () => {
  const pattern = compile({ a: "{{ x }}", b: { c: "{{ x }}" } }, options);
  pattern.check({}, { x: "n*" });
  const before = patternCompilations();
  for (let round = 0; round < 10; round++) pattern.check({ a: "n" }, { x: "n*" });
  assert.equal(patternCompilations(), before);
  pattern.check({}, { x: "m*" });
  assert.equal(patternCompilations(), before + 1);
});

Deno.test("long strings of requests are not kept: a thousand characters may be hundreds of tests", () => {
  const pattern = compile({ a: "{{ x }}" }, options);
  const values = Array.from({ length: 50 }, (_, index) => `${index}${"|1-2".repeat(200)}`);
  const round = (): number => {
    const before = patternCompilations();
    for (const x of values) pattern.check({ a: "n" }, { x });
    return patternCompilations() - before;
  };
  assert.equal(round(), round());
});

Deno.test("a value that is too long or too deep is an error", () => {
  const pattern = compile({ a: "{{ x }}" }, options);
  let deep: Json = "x";
  for (let level = 0; level < 5000; level++) deep = [deep];
  const slow = `*${"a?".repeat(10_000)}*`;
  for (const x of ["|".repeat(200_000), deep, slow, { b: slow }, { [slow]: 1 }]) {
    const result = pattern.check({ a: "y" }, { x });
    assert.equal(result.status, "error");
  }
});
