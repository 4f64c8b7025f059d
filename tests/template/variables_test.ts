/** `{{ }}` in strings and keys. */
import assert from "node:assert/strict";
import type { Json } from "../../lib/json/mod.ts";
import { faultOf, rendered } from "./render.ts";

const data: Json = {
  request: {
    operation: "CREATE",
    object: { metadata: { name: "web", labels: { app: "shop", "a.b/c": "x" } } },
    oldObject: null,
  },
  text: "str",
  number: 3,
  million: 1e6,
  yes: true,
  nothing: null,
  list: ["x", "y"],
  map: { b: 2, a: "<&>" },
  key: "app",
  path: "request.object",
  empty: "",
};

const values: [what: string, template: Json, result: Json][] = [
  ["one variable alone keeps its value's type", "{{ number }}", 3],
  ["a variable that is a list keeps its type", "{{ list }}", ["x", "y"]],
  ["a variable that is null keeps its type", "{{ nothing }}", null],
  ["space around one variable makes it text", " {{ number }}", " 3"],
  ["spaces inside the braces do not matter", "{{number}}{{\n text\t}}", "3str"],
  ["text goes into text as it is", "a {{ text }} b", "a str b"],
  [
    "other values go into text as compact JSON with sorted keys",
    "= {{ map }}",
    '= {"a":"\\u003c\\u0026\\u003e","b":2}',
  ],
  ["null goes into text as null", "= {{ nothing }}", "= null"],
  ["whole numbers go into text as in JSON", "= {{ million }}", "= 1000000"],
  ["several variables follow each other", "{{ text }}{{ number }}-{{ yes }}", "str3-true"],
  ["an object constructor may stand in the braces", "{{ {a: text} }}", { a: "str" }],
  ["braces may follow at once", "{{{a: text}}}", { a: "str" }],
  ["deeper braces are no variable", "{{ {a: {b: text}} }}", "{{ {a: {b: text}} }}"],
  ["a brace left over is text", "{{ text }}}", "str}"],
  ["open braces are text", "{{ text", "{{ text"],
  ["closing braces are text", "text }}", "text }}"],
  ["a backslash makes braces text", String.raw`\{{ text }}`, "{{ text }}"],
  ["a backslash after a variable makes braces text", String.raw`{{ text }}\{{ text }}`, "str{{ text }}"],
  ["one of two backslashes goes", String.raw`\\{{ text }}`, String.raw`\{{ text }}`],
  ["letters outside ASCII may stand beside a variable", "é{{ text }}é", "éstré"],
  ["a shallow variable is a variable", "{{- text }}", "str"],
  ["a shallow variable in text yields its string", "a {{- text }}", "a str"],
  ["a shallow variable does not stop the next one", "{{- text }}{{ number }}", "str3"],
  [
    "a shallow variable in text must be a string",
    "a {{- number }}",
    faultOf("failed to resolve number at path : {{- }} inside other text must yield a string"),
  ],
  ["variables stand anywhere in a document", { a: [{ b: "{{ number }}" }], c: 1 }, { a: [{ b: 3 }], c: 1 }],
  ["keys may hold variables", { "{{ key }}-x": "{{ text }}" }, { "app-x": "str" }],
  ["a substituted key wins over the written one", { "{{ key }}": 1, app: 2 }, { app: 1 }],
  ["a substituted key wins in any order", { app: 2, "{{ key }}": 1 }, { app: 1 }],
  ["a key that becomes null stays as written", { "{{ nothing }}": 1 }, { "{{ nothing }}": 1 }],
  [
    "a key must become a string",
    { "{{ number }}": 1 },
    faultOf('expected string after substituting variables in key "{{ number }}"'),
  ],
  ["escapes in keys are resolved", { "\\{{ a }}": 1 }, { "{{ a }}": 1 }],
];
for (const [what, template, result] of values) {
  Deno.test(`template: ${what}`, () => assert.deepEqual(rendered(template, data), result));
}

const nested: [what: string, template: Json, result: Json][] = [
  [
    "an inner variable becomes part of the outer expression",
    "{{ request.object.metadata.labels.{{ key }} }}",
    "shop",
  ],
  ["an inner variable needs no spaces", "{{request.object.metadata.labels.{{key}}}}", "shop"],
  ["an inner variable may be the whole expression", "{{ {{ path }}.metadata.name }}", "web"],
  ["an inner variable may be inside a literal", "{{ to_upper('{{ text }}') }}", "STR"],
  ["a value that is no text goes in as JSON", "{{ `{{ list }}` }}", ["x", "y"]],
  ["nesting has several levels", "{{ to_upper('{{ to_lower('{{ text }}') }}') }}", "STR"],
  ["inside text the result is text", "n={{ `{{ number }}` }}!", "n=3!"],
  ["a shallow inner variable ends the search", "{{ {{- path }} }}", "{{ request.object }}"],
  [
    "the fault is that of the inner variable",
    "{{ request.{{ missing }} }}",
    faultOf('failed to resolve missing at path : JMESPath query failed: Unknown key "missing" in path'),
  ],
  [
    "an expression that comes out wrong is a fault",
    "{{ {{ number }}[ }}",
    faultOf("failed to resolve 3[ at path : incorrect query 3[: SyntaxError: Invalid token: tNumber"),
  ],
];
for (const [what, template, result] of nested) {
  Deno.test(`nested variables: ${what}`, () => assert.deepEqual(rendered(template, data), result));
}

const faults: [template: Json, message: string][] = [
  [
    "{{ missing }}",
    'failed to resolve missing at path : JMESPath query failed: Unknown key "missing" in path',
  ],
  [
    { a: ["{{ map.zz }}"] },
    'failed to resolve map.zz at path /a/0: JMESPath query failed: Unknown key "zz" in path',
  ],
  [
    { "a/b": "{{ map.zz }}" },
    'failed to resolve map.zz at path /a\\/b: JMESPath query failed: Unknown key "zz" in path',
  ],
  ["{{ }}", "failed to resolve  at path : invalid query (nil)"],
  [
    "{{ bad[ }}",
    "failed to resolve bad[ at path : incorrect query bad[: SyntaxError: Expected tStar, received: tEOF",
  ],
  [
    "{{ text || '}}' }}",
    "failed to resolve text || ' at path : incorrect query text || ': SyntaxError: Unclosed delimiter: '",
  ],
];
for (const [template, message] of faults) {
  Deno.test(`template ${JSON.stringify(template)} is a fault`, () => {
    assert.deepEqual(rendered(template, data), faultOf(message));
  });
}

const deletion: Json = {
  request: { operation: "DELETE", object: null, oldObject: { kind: "Pod", n: "object" } },
};
const deletions: [template: string, result: Json][] = [
  ["{{ request.object.kind }}", "Pod"],
  ["{{ request.oldObject.kind }}", "Pod"],
  ["kind {{ request.object.kind }}", "kind Pod"],
  ["{{ 'request.object' }}", "request.oldObject"],
  ["{{ request.{{ request.object.n }}.kind }}", "Pod"],
  [
    "{{ request.object.spec }}",
    faultOf(
      'failed to resolve request.oldObject.spec at path : JMESPath query failed: Unknown key "spec" in path',
    ),
  ],
];
for (const [template, result] of deletions) {
  Deno.test(`in a deletion ${template} reads the old object`, () => {
    assert.deepEqual(rendered(template, deletion), result);
  });
}

const object = {
  kind: "Pod",
  metadata: { name: "web", labels: { "a.b/c": "x" } },
  spec: { containers: [{ image: "i" }] },
};
const current: [what: string, document: Json, scope: Json, result: Json][] = [
  [
    "is the resource's field at the path below the rule's two steps",
    { validate: { pattern: { spec: { containers: [{ image: "x-{{@}}" }] } } } },
    { request: { operation: "CREATE", object } },
    { validate: { pattern: { spec: { containers: [{ image: "x-i" }] } } } },
  ],
  [
    "quotes names that need it",
    { a: { b: { metadata: { labels: { "a.b/c": "{{ @ }}" } } } } },
    { request: { operation: "CREATE", object } },
    { a: { b: { metadata: { labels: { "a.b/c": "x" } } } } },
  ],
  [
    "skips what comes before foreach",
    { mutate: { foreach: [{ patchStrategicMerge: { metadata: { name: "{{@}}" } } }] } },
    { request: { operation: "CREATE", object } },
    { mutate: { foreach: [{ patchStrategicMerge: { metadata: { name: "web" } } }] } },
  ],
  [
    "is the old object's in a deletion",
    { validate: { pattern: { metadata: { name: "{{@}}" } } } },
    { request: { operation: "DELETE", object: null, oldObject: object } },
    { validate: { pattern: { metadata: { name: "web" } } } },
  ],
  [
    "is the target's when there is one",
    { validate: { pattern: { metadata: { name: "{{@}}" } } } },
    { request: { operation: "CREATE", object }, target: { metadata: { name: "other" } } },
    { validate: { pattern: { metadata: { name: "other" } } } },
  ],
];
for (const [what, document, scope, result] of current) {
  Deno.test(`{{@}} ${what}`, () => assert.deepEqual(rendered(document, scope), result));
}

Deno.test("{{@}} is the value at the path of the document in its rule", () => {
  const scope = { request: { operation: "CREATE", object } };
  const options = { field: ["validate", "pattern"] };
  assert.deepEqual(rendered({ metadata: { name: "{{ @ }}" } }, scope, options), {
    metadata: { name: "web" },
  });
});

Deno.test("{{@}} inside a longer expression is JMESPath's root", () => {
  assert.deepEqual(rendered("{{ length(@) }}", { a: 1, b: 2 }), 2);
});

Deno.test("the index of a foreach equals no number, as in Kyverno", () => {
  assert.deepEqual(rendered(["{{ elementIndex }}", "{{ elementIndex == `0` }}"], { elementIndex: 0 }), [
    0,
    false,
  ]);
});
