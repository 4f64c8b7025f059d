/** `$(path)` in strings and keys. */
import assert from "node:assert/strict";
import type { Json } from "../../lib/json/mod.ts";
import { faultOf, rendered } from "./render.ts";

/** The example of the documentation: the port of one probe refers to the other. */
function probes(port: string): Json {
  return {
    spec: {
      "^(containers)": [
        { livenessProbe: { tcpSocket: { port } }, readinessProbe: { tcpSocket: { port: "3000" } } },
      ],
    },
  };
}

const resolved: [what: string, document: Json, result: Json][] = [
  ["goes up and down from the string", { a: "x", b: { c: "$(./../../a)" } }, { a: "x", b: { c: "x" } }],
  ["does not need ./", { a: "x", b: "$(../a)" }, { a: "x", b: "x" }],
  ["begins at the root with /", { a: "x", b: { c: "$(/a)" } }, { a: "x", b: { c: "x" } }],
  ["takes list elements by index", { a: ["p", "q"], b: "$(./../a/1)" }, { a: ["p", "q"], b: "q" }],
  ["stands inside text", { a: "x", b: "1 $(./../a) 2" }, { a: "x", b: "1 x 2" }],
  ["stands beside letters outside ASCII", { a: "x", b: "é$(./../a)é" }, { a: "x", b: "éxé" }],
  ["may stand twice with a space between", { a: "x", b: "$(./../a) $(./../a)" }, { a: "x", b: "x x" }],
  ["ignores anchors in keys", { "=(a)": { "^(c)": "x" }, b: "$(./../a/c)" }, {
    "=(a)": { "^(c)": "x" },
    b: "x",
  }],
  ["has an operator in front", { a: "10Mi", b: "$(>=./../a)" }, { a: "10Mi", b: ">=10Mi" }],
  ["prints a number behind an operator", { a: 5, b: "$(<./../a)" }, { a: 5, b: "<5.000000" }],
  ["gives a variable, which is then resolved", { a: "{{ n }}", b: "$(./../a)" }, { a: 3, b: 3 }],
  ["gives another reference as text", { a: "$(./../c)", c: "x", b: "$(./../a)" }, {
    a: "x",
    c: "x",
    b: "$(./../c)",
  }],
  ["to a map gives its key", { a: { c: "x" }, b: "$(./../a)" }, { a: { c: "x" }, b: "c" }],
  ["is text behind a backslash", { a: "x", b: "\\$(./../a)" }, { a: "x", b: "$(./../a)" }],
  ["is text when empty", { b: "$()" }, { b: "$()" }],
  ["may be in a key, and starts at the object's path", { w: { b: "k", "$(./b)": 1 } }, {
    w: { b: "k", k: 1 },
  }],
  [
    "resolves the documentation's example",
    probes("$(./../../../readinessProbe/tcpSocket/port)"),
    probes("3000"),
  ],
  ["with an operator too", probes("$(<./../../../readinessProbe/tcpSocket/port)"), probes("<3000")],
];
for (const [what, document, result] of resolved) {
  Deno.test(`reference ${what}`, () => assert.deepEqual(rendered(document, { n: 3 }), result));
}

const faults: [document: Json, message: string][] = [
  [{ b: "$(./../zz)" }, "got nil resolved variable $(./../zz) at path /b: <nil>"],
  [{ a: null, b: "$(./../a)" }, "got nil resolved variable $(./../a) at path /b: <nil>"],
  [{ a: 5, b: "$(./../a)" }, "NotResolvedReferenceErr,reference $(./../a) not resolved at path /b"],
  [
    { a: true, b: "$(!./../a)" },
    "failed to resolve $(!./../a) at path /b: incorrect expression: operator ! does not match with value true",
  ],
  [{ b: "$(<=)" }, "failed to resolve $(<=) at path /b: expected path, found empty reference"],
  [{ b: "echo $(date)" }, "got nil resolved variable $(date) at path /b: <nil>"],
];
for (const [document, message] of faults) {
  Deno.test(`reference in ${JSON.stringify(document)} is a fault`, () => {
    assert.deepEqual(rendered(document, {}), faultOf(message));
  });
}

Deno.test("a document without references is not copied", async () => {
  const { resolveReferences } = await import("../../lib/template/mod.ts");
  const document = { a: ["{{ x }}", { b: 1 }] };
  assert.equal(resolveReferences(document), document);
});
