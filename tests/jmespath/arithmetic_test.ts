/** Arithmetic of numbers, quantities and durations. */
import assert from "node:assert/strict";
import fc from "fast-check";
import type { Json } from "../../lib/json/mod.ts";
import { evaluate } from "./evaluate.ts";

function call(name: string, left: Json, right: Json): Json {
  return evaluate(`${name}(a, b)`, { a: left, b: right });
}

const cases: readonly (readonly [name: string, left: Json, right: Json, result: Json])[] = [
  ["add", 1, 2, 3],
  ["add", "1Gi", "1Gi", "2Gi"],
  ["add", "1Gi", "1", "1073741825"],
  ["add", "500m", "500m", "1"],
  // Both could be minutes, but a quantity is what they are first.
  ["add", "5m", "5m", "10m"],
  ["add", "1h", "30m0s", "1h30m0s"],
  ["add", "1h", "30m", "mismatch"],
  ["add", 1, "1", "mismatch"],
  ["add", "1Gi", "1h", "mismatch"],
  ["add", null, 1, "operand"],
  ["add", 1, true, "operand"],
  ["add", "x", 1, "operand"],
  ["add", "2562047h", "2562047h", "-1h34m33.709551616s"],
  ["subtract", "1Gi", "512Mi", "512Mi"],
  ["subtract", "1s", "1500ms", "-500ms"],
  ["subtract", 1.5, 2, -0.5],
  ["multiply", 3, 4, 12],
  ["multiply", "100Mi", 3, "300Mi"],
  ["multiply", 3, "100Mi", "300Mi"],
  ["multiply", "1h", 1.5, "1h30m0s"],
  ["multiply", 0.5, "1h", "30m0s"],
  ["multiply", "1Gi", "2", "mismatch"],
  ["multiply", "1h", "2h", "mismatch"],
  ["divide", 1, 4, 0.25],
  ["divide", "1Gi", "512Mi", 2],
  ["divide", "1h", "30m0s", 2],
  ["divide", "1h", 2, "30m0s"],
  ["divide", "10", 3, "3"],
  ["divide", 10, "5", "mismatch"],
  ["divide", 10, "5s", "mismatch"],
  ["divide", 1, 0, "zero"],
  ["divide", "1Gi", 0, "zero"],
  ["divide", "1Gi", "0", "zero"],
  ["divide", "1h", "0s", "zero"],
  ["modulo", 7, 3, 1],
  ["modulo", -7, 3, -1],
  ["modulo", -9223372036854775808, 3, -2],
  ["modulo", 3, -9223372036854775808, 3],
  ["modulo", 9223372036854775808, 3, "integers"],
  ["modulo", 7.5, 3, "integers"],
  ["modulo", "10", "3", "1"],
  ["modulo", "500m", "1", "integers"],
  ["modulo", "1h30m0s", "1h", "30m0s"],
  ["modulo", 1, 0, "zero"],
  ["modulo", "1", 1, "mismatch"],
];

const problems: Readonly<Record<string, string>> = {
  mismatch: "Types mismatch",
  operand: "invalid operand",
  zero: "Zero divisor passed",
  integers: "Non-integer argument(s) passed for modulo",
};

for (const [name, left, right, result] of cases) {
  const problem = typeof result === "string" ? problems[result] : undefined;
  const expected = problem === undefined ? result : `error: JMESPath function '${name}': ${problem}`;
  Deno.test(`${name}(${JSON.stringify(left)}, ${JSON.stringify(right)}) is ${JSON.stringify(expected)}`, () => {
    assert.deepEqual(call(name, left, right), expected);
  });
}

Deno.test("arithmetic of numbers and quantities is exact", () => {
  assert.equal(call("multiply", "1", 0.1), "100m");
  assert.equal(call("multiply", "1Ki", 0.001), "1024m");
  assert.equal(call("divide", "1", 0.3), "3300m");
  assert.equal(call("multiply", "1", 1e20), "100E");
});

Deno.test("sum() adds in order and keeps a single element", () => {
  assert.equal(evaluate("sum(@)", [1, 2, 3.5]), 6.5);
  assert.equal(evaluate("sum(@)", ["1Gi", "1Mi"]), "1025Mi");
  assert.equal(evaluate("sum(@)", ["x"]), "x");
  assert.equal(evaluate("sum(@)", ["1", 2]), "error: JMESPath function 'sum': Types mismatch");
  assert.equal(
    evaluate("sum(@)", []),
    "error: JMESPath function 'sum': at least one element in the array is required",
  );
});

Deno.test("whole quantities add and divide like integers", () => {
  const whole = fc.integer({ min: -1_000_000, max: 1_000_000 });
  fc.assert(fc.property(whole, whole, (left, right) => {
    const quantity = (number: number): Json => call("add", String(number), "0");
    assert.equal(call("subtract", String(left), String(right)), quantity(left - right));
    if (right !== 0) assert.equal(call("modulo", String(left), String(right)), quantity(left % right));
  }));
});
