/** Where a missing key is an error and where it is null; what else the dialect does its own way. */
import assert from "node:assert/strict";
import { Fault, isFault, type Json, type Scope, scopeOf } from "../../lib/json/mod.ts";
import { compileExpression } from "../../lib/jmespath/mod.ts";
import { evaluate, fixedEnvironment as environment } from "./evaluate.ts";

const input = {
  a: { b: 1, deep: { er: "x" } },
  list: [{ n: "x", v: 1 }, { v: 2 }, null],
  empty: [],
  nothing: null,
  text: "t",
  object: { one: { n: 1 }, two: {} },
};

const unknown = (key: string): string => `error: Unknown key "${key}" in path`;

const cases: readonly (readonly [expression: string, result: Json])[] = [
  // A missing key is an error …
  ["missing", unknown("missing")],
  ["a.missing", unknown("missing")],
  ["a.missing.further", unknown("missing")],
  ["a.deep.er", "x"],
  ["missing[0]", unknown("missing")],
  ["text && a.missing", unknown("missing")],
  ["a.[b].missing", null],
  // … but a field of something that is no object is null.
  ["text.b", null],
  ["nothing.b", null],
  ["list.b", null],
  ["list.length", null],
  ["a.b.c", null],
  // Operators swallow the error on both sides, except && on its right.
  ["missing || 'd'", "d"],
  ["nothing || missing", null],
  ["missing && text", null],
  ["!missing", true],
  ["missing == `null`", true],
  ["missing != 'x'", true],
  ["`null` == missing", true],
  ["missing > `1`", null],
  // So do pipes, arguments, and the members of lists and objects.
  ["missing | @", null],
  ["text | missing", null],
  ["a | missing", null],
  ["to_string(missing)", "null"],
  ["[missing, a.b]", [null, 1]],
  ["{x: missing}", { x: null }],
  [
    "length(missing)",
    'error: Invalid type for: <nil>, expected: []jmespath.JpType{"string", "array", "object"}',
  ],
  ["length(missing || `[]`)", 0],
  // Projections skip what misses the key or is null.
  ["list[*].n", ["x"]],
  ["list[].n", ["x"]],
  ["list[?n == 'x'].v", [1]],
  ["list[?n].v", [1]],
  ["list[?v > `1`].n", []],
  ["missing[*].n", null],
  ["missing[].n", null],
  ["missing[?n]", null],
  ["missing.*", null],
  ["map(&n, list)", ["x", null, null]],
  ["object.*.n", [1]],
  // Any error on the left of these is null, not only a missing key.
  ["abs('x')[]", null],
  ["abs('x')[?@]", null],
  ["abs('x').*", null],
  ["abs('x')[*]", 'error: Invalid type for: x, expected: []jmespath.JpType{"number"}'],
  ["abs('x') || 'd'", 'error: Invalid type for: x, expected: []jmespath.JpType{"number"}'],
  // Order exists among numbers only.
  ["'b' > 'a'", null],
  ["`2` >= `2`", true],
  ["`[1]` == `[1]`", true],
  ['`{"a": 1, "b": 2}` == `{"b": 2, "a": 1}`', true],
  ["`0` && 'zero is true'", "zero is true"],
  ["empty && 'x'", []],
  // Selections on null are null.
  ["nothing.[text]", null],
  ["nothing.{x: text}", null],
  // Slices and indices.
  ["list[0].v", 1],
  ["list[-2].v", 2],
  ["list[9]", null],
  ["text[0]", null],
  ["`[1,2,3,4]`[::-1]", [4, 3, 2, 1]],
  ["`[1,2,3,4]`[-3:-1]", [2, 3]],
  ["`[1,2,3,4]`[1::2]", [2, 4]],
  ["`[1,2]`[::0]", "error: Invalid slice, step cannot be 0"],
  ["text[::0]", null],
  ["`[[1,[2]],[3],4]`[]", [1, [2], 3, 4]],
  // Functions.
  ["unknown_fn(missing)", "error: unknown function: unknown_fn"],
  ["unknown_fn(abs('x'))", 'error: Invalid type for: x, expected: []jmespath.JpType{"number"}'],
  ["abs()", "error: incorrect number of args"],
  ["abs(`1`, `2`)", "error: incorrect number of args"],
  ["not_null()", "error: Invalid arity."],
  ["merge()", "error: Invalid arity."],
  ["sort_by(list, &missing)", "error: invalid type, must be number of string"],
  ["sort_by(list[:2], &v)[].v", [1, 2]],
  ["max_by(list[:2], &n)", "error: invalid type, must be string"],
  ["max_by(list, list)", 'error: Invalid type for: a value, expected: []jmespath.JpType{"expref"}'],
  ["avg(empty) == avg(empty)", false],
];

for (const [expression, result] of cases) {
  Deno.test(`${expression} is ${JSON.stringify(result)}`, () => {
    assert.deepEqual(evaluate(expression, input), result);
    assert.deepEqual(evaluate(expression, input, { root: "context" }), result);
  });
}

Deno.test("`*` evaluates its right side for nulls too", () => {
  assert.deepEqual(evaluate("*.to_string(@)", { b: 1, a: 2 }), ["null", "null", "2", "1"]);
  assert.deepEqual(evaluate("*.to_string(@)", {}), []);
});

Deno.test("a document may be any value, also null or a list", () => {
  assert.equal(evaluate("a", null), null);
  assert.equal(evaluate("a", [1]), null);
  assert.equal(evaluate("[0]", [1]), 1);
  assert.equal(evaluate("@", null), null);
  assert.equal(evaluate("[@]", null), null);
  assert.deepEqual(evaluate("{a: b}", [1]), { a: null });
});

Deno.test("an expression reads a scope by name, and reads all of it only with @", () => {
  const loaded: string[] = [];
  const scope: Scope = {
    get: (name) => {
      loaded.push(name);
      return name === "request" ? { object: { kind: "Pod" } } : undefined;
    },
    all: () => {
      loaded.push("@");
      return { request: 1 };
    },
  };
  const run = (expression: string): Json | Fault => {
    const compiled = compileExpression(expression);
    assert.ok(!isFault(compiled));
    return compiled.evaluate(scope, environment);
  };
  assert.equal(run("request.object.kind"), "Pod");
  assert.equal(run("[request.object.kind, images || 'none'] | [1]"), "none");
  assert.equal(run("request.object | kind"), "Pod");
  assert.deepEqual([...new Set(loaded)].sort(), ["images", "request"]);
  assert.deepEqual(run("@"), { request: 1 });
  assert.equal(loaded.at(-1), "@");
});

Deno.test("a fault of the context is not a missing key", () => {
  const scope: Scope = { get: () => new Fault("could not be loaded"), all: () => ({}) };
  for (const expression of ["x", "x || 'd'", "[x]", "x | @", "to_string(x)", "x == `null`", "!x", "x[*]"]) {
    const compiled = compileExpression(expression);
    assert.ok(!isFault(compiled));
    const result = compiled.evaluate(scope, environment);
    assert.ok(isFault(result) && result.message === "could not be loaded", expression);
  }
});

Deno.test("inherited names are unknown keys", () => {
  for (const name of ["constructor", "toString", "__proto__", "hasOwnProperty"]) {
    assert.equal(evaluate(name, {}), unknown(name));
    assert.equal(evaluate(`a.${name}`, { a: {} }), unknown(name));
    assert.equal(evaluate(name, JSON.parse(`{"${name}": 1}`)), 1);
    assert.deepEqual(Object.keys(evaluate(`{"${name}": \`1\`}`, {}) as object), [name]);
  }
});

Deno.test("integers of Go equal no number", () => {
  assert.equal(evaluate("compare('a', 'a')"), 0);
  assert.equal(evaluate("compare('a', 'a') == `0`"), false);
  assert.equal(evaluate("compare('a', 'a') != `0`"), true);
  assert.equal(evaluate("compare('a', 'b') < `0`"), null);
  assert.equal(evaluate("(compare('a', 'b') | @) < `0`"), null);
  assert.equal(evaluate("compare('a', 'b') == compare('c', 'd')"), true);
  const isInteger = (name: string): boolean => name === "elementIndex";
  const options = { root: "context", isInteger } as const;
  assert.equal(evaluate("elementIndex", { elementIndex: 1 }, options), 1);
  assert.equal(evaluate("elementIndex == `1`", { elementIndex: 1 }, options), false);
  assert.equal(evaluate("elementIndex > `0`", { elementIndex: 1 }, options), null);
  assert.equal(evaluate("elementIndex == `1`", { elementIndex: 1 }), true);
  assert.equal(
    evaluate("abs(elementIndex)", { elementIndex: 1 }, options),
    'error: Invalid type for: 1, expected: []jmespath.JpType{"number"}',
  );
});

Deno.test("functions of any value refuse Go integers where Kyverno does", () => {
  assert.equal(evaluate("add(compare('a', 'b'), `1`)"), "error: JMESPath function 'add': invalid operand");
  assert.equal(evaluate("type(compare('a', 'b'))"), "error: unknown type");
  assert.equal(evaluate("to_number(compare('a', 'b'))"), "error: unknown type");
  assert.equal(evaluate("to_string(compare('a', 'b'))"), "-1");
  assert.deepEqual(evaluate("to_array(compare('a', 'b'))"), [-1]);
});

Deno.test("a scope over a document has the document's fields", () => {
  const compiled = compileExpression("a || 'x'");
  assert.ok(!isFault(compiled));
  assert.equal(compiled.evaluate(scopeOf({ a: 1 }), environment), 1);
});
