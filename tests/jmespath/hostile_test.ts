/** Texts and values made to exhaust the time, the memory or the stack end in a result or a fault, soon. */
import assert from "node:assert/strict";
import { type Fault, isFault, type Json, scopeOf } from "../../lib/json/mod.ts";
import { compileExpression } from "../../lib/jmespath/mod.ts";
import { environment, evaluate } from "./evaluate.ts";

function compiles(text: string): boolean {
  return !isFault(compileExpression(text));
}

function problem(result: Json | Fault): string {
  assert.equal(typeof result, "string");
  return result as string;
}

Deno.test("deep nesting of an expression is refused, moderate nesting is not", () => {
  const shapes: readonly (readonly [open: string, middle: string, close: string])[] = [
    ["(", "a", ")"],
    ["[", "a", "]"],
    ["{x: ", "a", "}"],
    ["a[?", "a", "]"],
    ["abs(", "a", ")"],
    ["!", "a", ""],
    ["sort_by(a, &", "a", ")"],
  ];
  for (const [open, middle, close] of shapes) {
    const nested = (depth: number): string => open.repeat(depth) + middle + close.repeat(depth);
    assert.equal(compiles(nested(100)), true, open);
    assert.equal(compiles(nested(300)), false, open);
    assert.equal(compiles(nested(14_000)), false, open);
  }
});

Deno.test("long chains are refused before they exhaust the stack", () => {
  for (const link of [".a", "[0]", "[*]", "[]", " || a", " && a", " | a", " == a", "[?a]", "(a)"]) {
    assert.equal(compiles("a" + link.repeat(20_000)), false, link);
    const text = "a" + link.repeat(400);
    if (link !== "(a)") {
      assert.equal(compiles(text), true, link);
      evaluate(text, { a: {} });
    }
  }
});

Deno.test("a long expression is refused, also one that is all wrong", () => {
  assert.equal(compiles(`'${"x".repeat(200_000)}'`), false);
  const started = performance.now();
  assert.equal(compiles("a b ".repeat(24_000)), false);
  assert.equal(compiles("[".repeat(99_000)), false);
  assert.ok(performance.now() - started < 5_000);
});

Deno.test("deep JSON in literals and texts is refused", () => {
  assert.equal(compiles(`\`${"[".repeat(40_000)}${"]".repeat(40_000)}\``), false);
  assert.equal(
    evaluate("parse_json(@)", "[".repeat(500_000) + "]".repeat(500_000)),
    "error: exceeded max depth",
  );
  assert.equal(evaluate("length(parse_json(@))", "[".repeat(500) + "]".repeat(500)), 1);
});

Deno.test("results that would be huge are faults", () => {
  const megabyte = "x".repeat(1_000_000);
  const tooLarge = /would have more than/;
  assert.match(problem(evaluate("replace_all(@, 'x', 'yyyyyyyyyy')", megabyte)), tooLarge);
  assert.match(problem(evaluate("replace_all(@, '', 'yyyyyyyyyy')", megabyte)), tooLarge);
  assert.match(problem(evaluate("regex_replace_all('x', @, '$0$0$0$0$0$0$0$0$0$0')", megabyte)), tooLarge);
  assert.match(problem(evaluate("join(@, [@, @, @, @, @, @, @, @, @])", megabyte)), tooLarge);
  assert.match(problem(evaluate("base64_encode(join('', [@, @, @]))", megabyte)), tooLarge);
});

Deno.test("lists cannot be doubled without end", () => {
  for (
    const step of ["[@, @]", "{a: @, b: @}", "[@, @][]", "*.[@]", "map(&[@, @], @)", "merge(@, {a: @, b: @})"]
  ) {
    assert.equal(compiles(`@${` | ${step}`.repeat(60)}`), false, step);
    assert.equal(compiles(`@${` | ${step}`.repeat(3)}`), true, step);
  }
  const list = Array.from({ length: 1_000 }, () => 1);
  const flattened = " | [@, @][]".repeat(12);
  assert.match(problem(evaluate(`@${flattened}`, list)), /more than 1000000 elements/);
});

Deno.test("loops inside loops end", () => {
  const hundred = `\`${JSON.stringify(Array.from({ length: 100 }, () => 1))}\``;
  const shapes: readonly ((inner: string) => string)[] = [
    (inner) => `map(&${inner}, ${hundred})`,
    (inner) => `${hundred}[*].[${inner}]`,
    (inner) => `${hundred}[?${inner}]`,
    (inner) => `sort_by(${hundred}, &length(${inner}))`,
    (inner) => `max_by(${hundred}, &length(to_string(${inner})))`,
  ];
  for (const shape of shapes) {
    let text = "@";
    for (let depth = 0; depth < 8; depth++) text = shape(text);
    assert.match(problem(evaluate(text)), /^error: /, text.slice(0, 20));
  }
  assert.match(problem(evaluate(shapes[0]!(shapes[0]!(shapes[0]!(shapes[0]!("@")))))), /visits more than/);
});

Deno.test("large patterns on large texts are refused", () => {
  const text = "a".repeat(1_000_000);
  assert.match(problem(evaluate("regex_match('(a{500}b?){2}c', @)", text)), /too large together/);
  assert.match(problem(evaluate("regex_replace_all('(a{500}b?){2}c', @, '')", text)), /too large together/);
  assert.equal(evaluate("regex_match('a{50}b', @)", text), false);
});

Deno.test("large inputs are handled in reasonable time", () => {
  const megabyte = "ab".repeat(500_000);
  const list = Array.from({ length: 10_000 }, (_, index) => ({ name: `n${index}`, value: index % 7 }));
  const started = performance.now();
  assert.equal(evaluate("length(@)", megabyte), 1_000_000);
  assert.equal(evaluate("length(split(@, 'b'))", megabyte), 500_001);
  assert.equal(evaluate("regex_match('(a+)+$', @)", megabyte), false);
  assert.equal(evaluate("pattern_match('*a*a*a*c', @)", megabyte), false);
  assert.equal(evaluate("length(trim(@, 'ab'))", megabyte), 0);
  assert.equal(evaluate("length(to_upper(@))", megabyte), 1_000_000);
  assert.equal(evaluate("equal_fold(@, to_upper(@))", megabyte), true);
  assert.equal(evaluate("sort_by(@, &value)[-1].value", list), 6);
  assert.equal(evaluate("length(@[?value == `3`].name)", list), 1_429);
  assert.equal(evaluate("length(items(object_from_lists([].name, [].value), 'k', 'v'))", list), 10_000);
  assert.equal(evaluate("x509_decode(@)", megabyte), "error: failed to decode PEM block");
  assert.match(problem(evaluate("add(@, '1')", megabyte)), /invalid operand/);
  assert.match(problem(evaluate("time_utc(@)", megabyte)), /too long/);
  assert.match(problem(evaluate("time_add('2023-01-01T00:00:00Z', @)", megabyte)), /invalid duration/);
  assert.match(problem(evaluate("is_external_url(@)", megabyte)), /too long/);
  assert.ok(performance.now() - started < 10_000);
});

Deno.test("a broken certificate is a fault whichever byte is broken", () => {
  const request = "MIIBTzCBuQIBADASMRAwDgYDVQQDDAdleGFtcGxl";
  for (let length = 0; length <= request.length; length += 4) {
    for (const type of ["CERTIFICATE", "CERTIFICATE REQUEST"]) {
      const pem = `-----BEGIN ${type}-----\n${request.slice(0, length)}\n-----END ${type}-----\n`;
      assert.match(problem(evaluate("x509_decode(@)", pem)), /^error: /);
    }
  }
});

Deno.test("a fault of one evaluation leaves the expression as it was", () => {
  const compiled = compileExpression("a.b");
  assert.ok(!isFault(compiled));
  assert.ok(isFault(compiled.evaluate(scopeOf({ a: {} }), environment)));
  assert.equal(compiled.evaluate(scopeOf({ a: { b: 1 } }), environment), 1);
});
