/** Everything is compiled at load: an evaluation compiles only what depends on the request. */
import assert from "node:assert/strict";
import { isFault, scopeOf } from "../../lib/json/mod.ts";
import { compilations, compileExpression } from "../../lib/jmespath/mod.ts";
import { fixedEnvironment as environment } from "./evaluate.ts";

const expressions = [
  "request.object.spec.containers[?image == 'x'].name | [0]",
  "regex_match('^[a-z]+$', name)",
  "regex_replace_all('a(b)', name, '$1')",
  "regex_replace_all_literal('a', name, '-')",
  "pattern_match('a*', name)",
  "semver_compare(name, '>=1.0.0')",
  "time_parse('2006-01-02', name)",
  "time_since('2006', name, '')",
  "random('[a-z]{4}')",
  "map(&regex_match('x', @), list)",
];

for (const text of expressions) {
  Deno.test(`evaluating ${text} compiles nothing`, () => {
    const compiled = compileExpression(text);
    assert.ok(!isFault(compiled));
    const before = compilations();
    for (let round = 0; round < 3; round++) {
      compiled.evaluate(scopeOf({ name: "abc", list: ["x"], request: {} }), environment);
    }
    assert.deepEqual(compilations(), before);
  });
}

Deno.test("a pattern that one request had no steps left to compile is compiled for the next request", () => {
  const compiled = compileExpression("length([?regex_match(@, 'a')])");
  assert.ok(!isFault(compiled));
  const patterns = Array.from({ length: 8 }, (_, at) => `(abcde${at}){900}`);
  for (const pattern of patterns) {
    const exceeded = compiled.evaluate(scopeOf(patterns), environment);
    assert.match(isFault(exceeded) ? exceeded.message : "", /steps/);
    assert.equal(compiled.evaluate(scopeOf([pattern]), environment), 0, pattern);
  }
});

Deno.test("a pattern that depends on the request is compiled once", () => {
  const compiled = compileExpression("regex_match(pattern, 'abc')");
  assert.ok(!isFault(compiled));
  const scope = scopeOf({ pattern: "^a+b+c+$ for this test alone" });
  const before = compilations().regexes;
  for (let round = 0; round < 5; round++) compiled.evaluate(scope, environment);
  assert.equal(compilations().regexes, before + 1);
});

Deno.test("expressions without input are computed at load", () => {
  const compiled = compileExpression("x || regex_replace_all('a', to_upper('banana'), '')");
  assert.ok(!isFault(compiled));
  assert.equal(compiled.evaluate(scopeOf({}), environment), "BANANA");
});
