import assert from "node:assert/strict";
import fc from "fast-check";
import { isFault, type Json } from "../../lib/json/mod.ts";
import { parseDocuments, parseYaml } from "../../lib/yaml/mod.ts";

const scalars: [text: string, value: Json][] = [
  ["yes", true],
  ["Off", false],
  ["n", false],
  ["~", null],
  ["NULL", null],
  ["0777", 511],
  ["0o777", 511],
  ["0b101", 5],
  ["-0X1f", -31],
  ["1_000", 1000],
  ["08", 8],
  ["+12", 12],
  [".5", 0.5],
  [".1_0", 0.1],
  ["'a\u2028b'", "a\u2028b"],
  ['"a\\Nb\\Lc\\P"', "a\u0085b\u2028c\u2029"],
  ['"\\uD83D\\uDE00"', "😀"],
  ["1e3", 1000],
  ["1E400", "1E400"],
  ["1.", 1],
  [".", "."],
  ["+", "+"],
  ["12:30:45", "12:30:45"],
  ["2023-01-01", "2023-01-01"],
  ["1.2.3", "1.2.3"],
  ["0x", "0x"],
  ["'1'", "1"],
  ['"\\u263A"', "☺"],
  ["!!str 017", "017"],
  ["!!int '017'", 15],
  ["!!float 1", 1],
  ["!!binary aGk=", "hi"],
  ["!custom x", "x"],
  ["! 12", "12"],
  ["!<tag:yaml.org,2002:bool> 'on'", true],
  ["$(x)", "$(x)"],
  ["?*", "?*"],
];
for (const [text, value] of scalars) {
  Deno.test(`yaml ${text} is ${JSON.stringify(value)}`, () => {
    assert.deepEqual(parseYaml(`v: ${text}\n`), { v: value });
  });
}

const documents: [name: string, text: string, value: Json][] = [
  ["nothing is null", "# only a comment\n", null],
  ["keys become text", "yes: 1\n1.50: 2\n0x10: 3\n2023-01-01: 4\n", {
    true: 1,
    "1.5": 2,
    "16": 3,
    "2023-01-01": 4,
  }],
  ["an alias as a key has all its digits", "a: &x 12345678901234567\n*x : 1\nb: &y 1.23456789\n*y : 2\n", {
    a: 12345678901234567,
    "12345678901234567": 1,
    b: 1.23456789,
    "1.2345679": 2,
  }],
  ["in brackets a mark before white space, or in quotes, is read", "a: [? b, {c: }, 'd:', \"?e\"]\n", {
    a: [{ b: null }, { c: null }, "d:", "?e"],
  }],
  ["the later of two equal keys counts", "a: 1\na: 2\n", { a: 2 }],
  ["only the first document is read", "a: 1\n---\nb: 2\n", { a: 1 }],
  ["an end marker ends the document", "a: 1\n...\nb: 2\n", { a: 1 }],
  ["directives belong to their document", "%YAML 1.1\n---\na: 1\n", { a: 1 }],
  ["tag directives are obeyed", "%TAG !y! tag:yaml.org,2002:\n---\na: !y!int '7'\n", { a: 7 }],
  ["aliases repeat their anchor", "a: &x {c: 1}\nb: *x\n", { a: { c: 1 }, b: { c: 1 } }],
  ["a merge is overridden by what follows", "a: &x {k: 1, l: 2}\nb:\n  <<: *x\n  k: 3\n", {
    a: { k: 1, l: 2 },
    b: { k: 3, l: 2 },
  }],
  ["a merge overrides what precedes", "b:\n  k: 3\n  <<: {k: 1}\n", { b: { k: 1 } }],
  ["of several merges the first wins", "<<: [{k: 1}, {k: 2, l: 3}]\n", { k: 1, l: 3 }],
  ["a quoted << is a key", '"<<": 1\n', { "<<": 1 }],
  ["brackets need no indentation", 'a: [\n  1,\n2\n]\nb: {\n"c": {\n}}\n', { a: [1, 2], b: { c: {} } }],
  ["quotes need no indentation", 'a:\n  b: "x\ny"\n', { a: { b: "x y" } }],
  [
    "a comment follows a quote, a bracket or a block's indicator directly",
    "a: 'x'#c\nb: [#c\n  1]#c\nc: |#c\n  x\n",
    {
      a: "x",
      b: [1],
      c: "x\n",
    },
  ],
  ["a carriage return ends a line", "a: {b: 1,\rc: 2}\rd: 3\r", { a: { b: 1, c: 2 }, d: 3 }],
  ["a # in a text begins no comment", "a: x#y\nb: [x#y]\n", { a: "x#y", b: ["x#y"] }],
  ["an escaped single quote is a quote", "a: \"it\\'s \\'so\\'\"\nb: 'x\\'\n", { a: "it's 'so'", b: "x\\" }],
  ["tabs separate what is in brackets", 'a:\n  b:\t[1,\t2]\n  c: \t{x:\t"y\tz"}\n  d:\t[]\n', {
    a: { b: [1, 2], c: { x: "y\tz" }, d: [] },
  }],
  ["__proto__ is a key like others", "__proto__: {a: 1}\n", JSON.parse('{"__proto__":{"a":1}}') as Json],
  ["a byte order mark is skipped", "\ufeffa: 1\n", { a: 1 }],
  ["of JSON values in a row the first is read", '{"a":1}{"b":2}', { a: 1 }],
];
for (const [name, text, value] of documents) {
  Deno.test(`parseYaml(): ${name}`, () => assert.deepEqual(parseYaml(text), value));
}

Deno.test("parseYaml() keeps line separators of Unicode in the strings of JSON", () =>
  assert.deepEqual(parseYaml('{"a": "x\u0085 y\u2028 z"}\n'), { a: "x\u0085 y\u2028 z" }));

const refused: [text: string, message: RegExp][] = [
  ["a: b: c\n", /line 1/],
  ["a: 1 # x\u0085b: 2\n", /line 1: a character of Unicode ends a line here for Kubernetes/],
  ["# x\u2028b: 2\nc: 1\n", /ends a line here/],
  ["a: {b:}", /takes the colon behind "b" for a part of the text: write a space behind it/],
  ["a: [b :, c]", /takes the colon/],
  ["a: {b:{c: 1}}", /takes the colon/],
  ["a: [?b]", /takes this "\?" for the mark of a key/],
  ["a: {?b: c}", /takes this "\?"/],
  ["a: &b:c d", /ends the name "&b:c"/],
  ["a: &b?c d", /ends the name/],
  ["a: &b d\nc: [*b:]", /ends the name "\*b:"/],
  ["a: [!!str, b]", /takes the comma for a part of the tag "!!str"/],
  ["a: |\n  x\u2029b: 2\n", /line 2: .* ends a line here/],
  ["a: 'x\u0085b'\n", /ends a line here/],
  ['a: "x \u2028b"\n', /ends a line here/],
  ["a: x\u2028b\n'c': 1\n", /ends a line here/],
  ['a: "\\ud800"\n', /line 1: an escape is half of a character/],
  ['"\\udc00": 1\n', /half of a character/],
  ["a: [b\n", /line/],
  ["\ta: 1\n", /line 1/],
  ["v: .inf\n", /unsupported value: \+Inf/],
  ["null: 1\n", /unsupported map key/],
  ["{a: 1}: b\n", /invalid map key: a map of a/],
  ["a: 'x'#c\nb: 'y'#c\nc: [\n", /line 4/],
  ['a: "\\q"\n', /line 1: unknown escape sequence/],
  ["v: {{ x }}\n", /invalid map key/],
  ["v: *a\n", /unknown anchor 'a'/],
  ["a: &x [*x]\n", /contains itself/],
  ["a: &x\n  b: *x\n", /contains itself/],
  ["<<: 5\n", /map merge/],
  ["v: !!int x\n", /cannot decode !!str `x` as a !!int/],
  ["v: !!binary a\n", /base64/],
  ['{"a": 1 // c\n"b": 2}', /line 2/],
  ['{"a": 1, // c\n"b": 2}', /a key must be on one line/],
  ["18446744073709551615: a\n", /unsupported map key/],
  ["[".repeat(300) + "]".repeat(300), /depth|nest/i],
];
for (const [text, message] of refused) {
  Deno.test(`parseYaml() refuses ${JSON.stringify(text.slice(0, 30))}`, () => {
    const fault = parseYaml(text);
    assert.ok(isFault(fault));
    assert.match(fault.message, message);
  });
}

Deno.test("parseDocuments() refuses an alias bomb and accepts a few aliases", () => {
  const levels = Array.from(
    { length: 9 },
    (_, level) => `l${level + 1}: &l${level + 1} [${Array(9).fill(`*l${level}`).join(", ")}]`,
  );
  const bomb = ["l0: &l0 [x, x, x, x, x, x, x, x, x]", ...levels].join("\n");
  const fault = parseYaml(bomb);
  assert.ok(isFault(fault) && fault.message.includes("excessive aliasing"));
  const fine = parseYaml(`a: &a [x, x]\n${Array.from({ length: 150 }, (_, i) => `k${i}: *a`).join("\n")}`);
  assert.ok(!isFault(fine));
  const { diagnostics } = parseDocuments(bomb, "file.yaml");
  assert.equal(diagnostics[0]?.hint, undefined);
});

Deno.test("parseDocuments() keeps the good documents of a file with a broken one", () => {
  const text = "# first\n---\na: 1\n---\nb: [\n---\n\n---\nc: 3\n";
  const { documents, diagnostics } = parseDocuments(text, "f.yaml");
  assert.deepEqual(documents.map(({ value }) => value), [{ a: 1 }, { c: 3 }]);
  assert.deepEqual(diagnostics.map(({ code, position }) => [code, position?.line]), [["invalid-yaml", 6]]);
});

Deno.test("parseDocuments() reads JSON values that follow one another", () => {
  const { documents, diagnostics } = parseDocuments('{"a": 1}\n{"b":\n2} {"c": 3}\n', "f.json");
  assert.deepEqual(documents.map(({ value }) => value), [{ a: 1 }, { b: 2 }, { c: 3 }]);
  assert.deepEqual(diagnostics, []);
  assert.deepEqual(documents.map((each) => each.positionOf(["c"])).at(2), {
    file: "f.json",
    line: 3,
    column: 5,
  });
});

Deno.test("parseDocuments() takes ---# for a marker, and skips the byte order mark of a file behind it", () => {
  const { documents, diagnostics } = parseDocuments(
    "---# x\na: 1\n---#y\n\ufeffb: 2\nc: 3\n---\n\ufeffd: 4\n",
    "f.yaml",
  );
  assert.deepEqual([documents.map(({ value }) => value), diagnostics], [
    [{ a: 1 }, { b: 2, c: 3 }, { d: 4 }],
    [],
  ]);
  const positions = [documents[1]!.positionOf(["c"]), documents[1]!.positionOf(["b"])];
  assert.deepEqual(positions.map(({ line, column }) => [line, column]), [[5, 1], [4, 2]]);
});

Deno.test("a duplicate key is a warning with its position, an overridden merge key is not", () => {
  const { diagnostics } = parseDocuments("---\na: 1\nb: {<<: {x: 1}, x: 2}\na: 2\n", "f.yaml");
  assert.deepEqual(diagnostics, [{
    severity: "warning",
    code: "duplicate-key",
    message: 'The key "a" occurs twice; its later value counts',
    position: { file: "f.yaml", line: 4, column: 1 },
  }]);
});

Deno.test("a colon behind an alias, and a tab behind a colon, get hints", () => {
  const hint = (text: string) => parseDocuments(text, "f").diagnostics[0]?.hint;
  assert.equal(hint("a: &x 1\n*x: 2\n"), "write a space between the alias and its colon");
  assert.equal(hint("a:\t&x {b: 1}\n"), "write spaces in place of the tab");
});

Deno.test("a merge conflict is named where it begins", () => {
  const text = "a: 1\n---\nb:\n<<<<<<< HEAD\n  c: 1\n=======\n  c: 2\n>>>>>>> branch\n";
  const { documents, diagnostics } = parseDocuments(text, "f.yaml");
  assert.deepEqual(documents.map(({ value }) => value), [{ a: 1 }]);
  assert.deepEqual(diagnostics, [{
    severity: "error",
    code: "invalid-yaml",
    message: "The file has a merge conflict",
    hint: 'choose one side, and remove the lines that begin with "<<<<<<<", "=======" and ">>>>>>>"',
    position: { file: "f.yaml", line: 4, column: 1 },
  }]);
});

Deno.test("a template gets a hint", () => {
  for (const text of ["{{- if .Values.on }}\na: 1\n{{- end }}\n", 'a: 1\n{{ include "labels" . }}\n']) {
    const { diagnostics } = parseDocuments(text, "deployment.yaml");
    assert.equal(diagnostics[0]?.hint, "this is a template, such as one of Helm: check what it renders");
  }
});

Deno.test("an unquoted variable gets a hint", () => {
  const { diagnostics } = parseDocuments("a:\n  b: {{ x }}-y\n", "f.yaml");
  assert.equal(diagnostics[0]?.hint, 'a value that starts with "{{" must be quoted');
  assert.equal(diagnostics[0]?.position?.line, 2);
});

const policy = `apiVersion: v1
metadata:
  name: x
  list:
  - one
  - two: 2
    "three": [a, {b: c}]
---
second:
    deep: {
  a: 1,
"b": 2
}
yes: 1
`;
const positions: [document: number, path: (string | number)[], line: number, column: number][] = [
  [0, [], 1, 1],
  [0, ["metadata"], 2, 1],
  [0, ["metadata", "name"], 3, 3],
  [0, ["metadata", "list", 0], 5, 5],
  [0, ["metadata", "list", 1], 6, 5],
  [0, ["metadata", "list", 1, "three"], 7, 5],
  [0, ["metadata", "list", 1, "three", 1, "b"], 7, 19],
  [0, ["metadata", "missing", "deeper"], 2, 1],
  [0, ["metadata", "list", 9], 4, 3],
  [1, [], 9, 1],
  [1, ["second", "deep", "a"], 11, 3],
  [1, ["second", "deep", "b"], 12, 1],
  [1, ["true"], 14, 1],
];
for (const [document, path, line, column] of positions) {
  Deno.test(`positionOf(${JSON.stringify(path)}) in document ${document} is ${line}:${column}`, () => {
    const { documents } = parseDocuments(policy, "p.yaml");
    assert.deepEqual(documents[document]!.positionOf(path), { file: "p.yaml", line, column });
  });
}

Deno.test("positions are those of the text, also behind what was corrected", () => {
  const { documents } = parseDocuments(
    "a: {b: \"it\\'s\", c: [\t'x'#c\n], d: 1}\ne: 'y'#c\nf: 1\n",
    "f.yaml",
  );
  const at = (...path: string[]): [number, number] => {
    const { line, column } = documents[0]!.positionOf(path);
    return [line, column];
  };
  assert.deepEqual([at("a", "c"), at("a", "d"), at("f")], [[1, 17], [2, 4], [4, 1]]);
});

Deno.test("parseYaml() reads JSON as JSON.parse does", () => {
  // JSON.parse is the oracle; YAML has no infinite numbers, and what Go reads as keys is text in both.
  fc.assert(fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
    const text = JSON.stringify(value);
    assert.deepEqual(parseYaml(text), JSON.parse(text));
    assert.deepEqual(parseYaml(JSON.stringify(value, null, 2)), JSON.parse(text));
  }));
});

Deno.test("parseYaml() never throws, for any text", () => {
  const pieces = [
    "a",
    ": ",
    "- ",
    "\n",
    "  ",
    "[",
    "]",
    "{",
    "}",
    ",",
    "&x ",
    "*x",
    "!!int ",
    "<<",
    "|",
    ">",
    "'",
    '"',
    "---",
    "#",
  ];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 20 }), (parts) => {
      const text = parts.join("");
      const { documents } = parseDocuments(text, "f");
      for (const document of documents) document.positionOf(["a", 0]);
      parseYaml(text);
    }),
    { numRuns: 2000 },
  );
});

Deno.test("a document above the bound is a diagnostic, and the others of its file are read", () => {
  const long = `a: ${"x".repeat(200)}`;
  const { documents, diagnostics } = parseDocuments(`b: 1\n---\n${long}\n---\nc: 2\n`, "f.yaml", {
    longest: 100,
  });
  assert.deepEqual(documents.map(({ value }) => value), [{ b: 1 }, { c: 2 }]);
  assert.deepEqual(diagnostics.map(({ code, severity, position }) => [code, severity, position]), [
    ["large-document", "error", { file: "f.yaml", line: 2, column: 1 }],
  ]);
});
