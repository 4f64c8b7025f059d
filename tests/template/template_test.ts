/** The properties of a compiled template, and the values that it shares. */
import assert from "node:assert/strict";
import { compilations } from "../../lib/jmespath/mod.ts";
import { Fault, isFault, type Json, type Scope, scopeOf } from "../../lib/json/mod.ts";
import { compileTemplate, templateCompilations, textTemplates } from "../../lib/template/mod.ts";
import { environment } from "./render.ts";

Deno.test("a constant document renders to itself", () => {
  const document = { a: [1, { b: "x" }] };
  const template = compileTemplate(document);
  assert.equal(template.constant, true);
  assert.equal(template.render(scopeOf({}), environment), document);
});

Deno.test("renderings share the constant parts of a document", () => {
  const document = { fixed: { deep: ["x"] }, moving: ["{{ n }}", { also: "fixed" }] };
  const template = compileTemplate(document);
  const first = template.render(scopeOf({ n: 1 }), environment) as typeof document;
  const second = template.render(scopeOf({ n: 2 }), environment) as typeof document;
  assert.equal(first.fixed, document.fixed);
  assert.equal(first.moving[1], second.moving[1]);
  assert.deepEqual([first.moving[0], second.moving[0]], [1, 2]);
  assert.deepEqual(document.moving[0], "{{ n }}");
});

Deno.test("a template lists its variables, with path, column and the names that they read", () => {
  const template = compileTemplate({ a: ["x {{ request.object.spec }}"], "{{ key }}": "{{ b || c }}" });
  assert.deepEqual(
    template.uses.map(({ expression, path, column, names }) => [expression, path, column, names]),
    [
      ["request.object.spec", ["a", 0], 3, ["request"]],
      ["key", ["{{ key }}"], 1, ["key"]],
      ["b || c", ["{{ key }}"], 1, ["b", "c"]],
    ],
  );
  assert.deepEqual(template.uses[0]!.paths, [["request", "object", "spec"]]);
});

Deno.test("an inner variable is listed too, and columns count in the whole text", () => {
  const { uses } = compileTemplate("ab {{ x }} {{ map.data.{{ key }} }} {{ y }}");
  assert.deepEqual(uses.map(({ expression, column }) => [expression, column]), [
    ["x", 4],
    ["key", 24],
    ["map.data.{{ key }}", 12],
    ["y", 37],
  ]);
  assert.deepEqual(uses.map(({ names }) => names), [["x"], ["key"], ["map"], ["y"]]);
});

Deno.test("a root name that an inner variable decides is not listed", () => {
  const { uses } = compileTemplate("{{ {{ key }}.a }}");
  assert.deepEqual(uses.map(({ names }) => names), [["key"], []]);
});

Deno.test("an expression that does not compile is reported at load and is a fault at each rendering", () => {
  const template = compileTemplate({ a: "{{ x[ }}", b: 1 });
  assert.ok(isFault(template.uses[0]!.problem));
  assert.ok(isFault(template.render(scopeOf({}), environment)));
});

Deno.test("a number that JSON cannot write is a fault inside of a text, and a value by itself", () => {
  const [inText, byItself] = ["a {{ avg(`[]`) }}", "{{ avg(`[]`) }}"].map((written) =>
    compileTemplate({ a: { b: written } }).render(scopeOf({}), environment)
  );
  assert.ok(isFault(inText));
  assert.equal(inText.message, "failed to resolve avg(`[]`) at path /a/b: failed to marshal float64: NaN");
  assert.deepEqual(byItself, { a: { b: NaN } });
});

Deno.test("a reference to a missing path is reported at load", () => {
  const template = compileTemplate({ a: "$(./../b)" });
  assert.equal(template.problem?.message, "got nil resolved variable $(./../b) at path /a: <nil>");
  assert.equal(template.constant, false);
});

Deno.test("rendering compiles nothing", () => {
  const template = compileTemplate({
    a: "{{ request.object.metadata.name }}",
    b: "x {{ to_upper(text) }} {{ request.operation }}",
    "{{ text }}": "{{ @ }}",
  });
  const before = [templateCompilations(), compilations()];
  for (const operation of ["CREATE", "DELETE"]) {
    const object = { metadata: { name: "n" } };
    template.render(scopeOf({ request: { operation, object, oldObject: object }, text: "t" }), environment);
  }
  assert.deepEqual([templateCompilations(), compilations()], before);
});

Deno.test("a nested variable compiles an expression once for each of its inner values", () => {
  const template = compileTemplate("{{ data.{{ key }} }}");
  const render = (key: string) => template.render(scopeOf({ key, data: { a: 1, b: 2 } }), environment);
  const before = templateCompilations().nested;
  assert.deepEqual([render("a"), render("b"), render("a"), render("b")], [1, 2, 1, 2]);
  assert.equal(templateCompilations().nested, before + 2);
});

Deno.test("the fault of a value that cannot be loaded is the result, in every dialect", () => {
  const pending = new Fault("failed to fetch data for context entry cm: timeout");
  const scope: Scope = { get: (name) => name === "cm" ? pending : undefined, all: () => ({}) };
  for (const unresolved of ["fault", "empty"] as const) {
    const value = compileTemplate({ a: "{{ cm.data || 'x' }}" }, { unresolved }).render(scope, environment);
    assert.ok(isFault(value));
    assert.equal(value.message, `failed to resolve cm.data || 'x' at path /a: ${pending.message}`);
  }
});

Deno.test("where a missing value is empty, an undeclared variable and a failing function are faults", () => {
  for (
    const template of [
      "{{ missing }}",
      "a-{{ missing.b }}",
      "{{ map.{{ missing }} }}",
      "{{ parse_json('x') }}",
    ]
  ) {
    const value = compileTemplate(template, { unresolved: "empty" }).render(
      scopeOf({ map: {} }),
      environment,
    );
    assert.ok(isFault(value), template);
  }
});

const lenient: [template: string, result: Json][] = [
  ["{{ map.missing }}", ""],
  ["a-{{ map.missing.b }}-c", "a--c"],
  ["{{ images.containers }}", ""],
  ["{{ settings.data.mode }}", ""],
  ["{{ map.{{ map.zz }} }}", ""],
  ["{{ nothing }}", null],
  ["{{ map.a }}", 1],
];
for (const [template, result] of lenient) {
  Deno.test(`where a missing value is empty, ${template} is ${JSON.stringify(result)}`, () => {
    // An entry that there is nothing to load from has no value, but is declared.
    const declares = (name: string): boolean => name === "settings";
    const scope = { ...scopeOf({ map: { a: 1 }, nothing: null }), declares };
    assert.deepEqual(compileTemplate(template, { unresolved: "empty" }).render(scope, environment), result);
  });
}

Deno.test("an expression that does not compile is a fault even where a missing value is empty", () => {
  const template = compileTemplate("{{ x[ }}", { unresolved: "empty" });
  assert.ok(isFault(template.render(scopeOf({}), environment)));
});

Deno.test("textTemplates() returns a template for texts with variables or escapes, and for no others", () => {
  const { dynamic, uses } = textTemplates();
  assert.equal(dynamic("nginx:*", ["image"]), undefined);
  assert.equal(dynamic("$(./../x)", ["image"]), undefined);
  const rendering = { scope: scopeOf({ tag: 3 }), environment };
  assert.equal(dynamic("{{ tag }}", ["image"])?.(rendering), 3);
  assert.equal(dynamic("\\{{ tag }}", ["image"])?.(rendering), "{{ tag }}");
  const missing = dynamic("{{ zz }}", ["spec", "a/b", 0])?.(rendering);
  assert.ok(isFault(missing));
  assert.match(missing.message, /^failed to resolve zz at path \/spec\/a\\\/b\/0: /);
  assert.deepEqual(uses.map(({ expression }) => expression), ["tag", "zz"]);
});
