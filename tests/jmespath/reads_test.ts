/** The compiler derives from an expression which paths it reads and which functions it calls. */
import assert from "node:assert/strict";
import { isFault } from "../../lib/json/mod.ts";
import { type CompiledExpression, compileExpression } from "../../lib/jmespath/mod.ts";

function compile(text: string): CompiledExpression {
  const compiled = compileExpression(text);
  assert.ok(!isFault(compiled));
  return compiled;
}

const cases: readonly (readonly [text: string, names: string, paths: string])[] = [
  ["request.object.metadata.name", "request", "request.object.metadata.name"],
  ["@.request.object", "request", "request.object"],
  ["request.object.spec.containers[*].image", "request", "request.object.spec.containers.[].image"],
  ["request.a[?name == 'x'].value | [0]", "request", "request.a.[].name request.a.[].value.[]"],
  ["request.a[].b[]", "request", "request.a.[].b.[]"],
  ["a || b.c", "a b", "a b.c"],
  ["a && b", "a b", "a b"],
  ["!(a.b)", "a", "a.b"],
  ["a.b == c", "a c", "a.b c"],
  ["[a, {x: b.c}]", "a b", "a b.c"],
  ["a | b.c", "a", "a.b.c"],
  ["a.b | length(@)", "a", "a.b"],
  ["length(a.b)", "a", "a.b"],
  ["map(&x.y, a.b)", "a", "a.b a.b.[].x.y"],
  ["sort_by(a, &b)[0].c", "a", "a a.[].b"],
  ["length(a).b", "a", "a"],
  ["'request.object'", "", ""],
  ["`1`.a", "", ""],
  ["a.*.b", "a", "a.[].b"],
  ["a[1:2].b", "a", "a.[].b"],
];

for (const [text, names, paths] of cases) {
  Deno.test(`${text} reads ${paths || "nothing"}`, () => {
    const compiled = compile(text);
    assert.equal(compiled.names.join(" "), names);
    assert.equal(
      compiled.paths.map((path) => path.join(".")).sort().join(" "),
      paths.split(" ").sort().join(" "),
    );
  });
}

for (const text of ["@", "to_string(@)", "*", "[0]", "{x: @}"]) {
  Deno.test(`${text} reads the whole root, which is no path`, () => {
    assert.deepEqual([compile(text).names, compile(text).paths], [[], []]);
  });
}

Deno.test("each function is listed once", () => {
  assert.deepEqual(compile("add(length(a), length(b)) | map(&abs(@), c)").functions, [
    "add",
    "length",
    "map",
    "abs",
  ]);
});
