/** `jp`: expressions tried at the command line. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { type Console, jpFunction, jpParse, jpQuery } from "../../lib/cli/jp.ts";
import { run } from "../../lib/cli/mod.ts";
import { kyvernoFunctions } from "../../lib/jmespath/mod.ts";
import { golden, heard } from "./golden.ts";

const input = join(import.meta.dirname!, "golden", "jp", "input.yaml");

function spoken(stdin = ""): { console: Console; out: () => string; err: () => string } {
  const { terminal, out, err } = heard();
  return { console: { terminal, stdin: () => Promise.resolve(stdin) }, out, err };
}

const queries: [name: string, args: readonly string[], expected: string][] = [
  [
    "prints the query and JSON with two spaces and sorted keys",
    ["metadata"],
    '# metadata\n{\n  "labels": {\n    "a": "x\\u003cy",\n    "b": "1"\n  },\n  "name": "web"\n}',
  ],
  ["takes several queries", ["kind", "length(metadata.name)"], '# kind\n"Pod"\n# length(metadata.name)\n3'],
  ["-c leaves white space out", ["metadata.labels", "-c"], '# metadata.labels\n{"a":"x\\u003cy","b":"1"}'],
  ["-u leaves the quotes of a text out", ["metadata.name", "-u"], "# metadata.name\nweb"],
  ["-u leaves other values as they are", ["spec", "-u", "-c"], "# spec\n[1,2.5,null]"],
  ["prints null for null", ["spec[2]"], "# spec[2]\nnull"],
];
for (const [name, args, expected] of queries) {
  Deno.test(`jp query ${name}`, async () => {
    const { terminal, out } = heard();
    assert.equal(await run(["jp", "query", "-i", input, ...args], terminal), 0);
    assert.equal(out(), expected);
  });
}

const noQueries = { queries: [], files: [], compact: false, unquoted: false } as const;

Deno.test("jp query -q reads the expression from a file, and the object from -i or standard input", async () => {
  const query = join(import.meta.dirname!, "golden", "jp", "query.jmespath");
  const { console, out, err } = spoken('{"metadata": {"name": "piped"}}');
  assert.equal(await jpQuery({ ...noQueries, files: [query] }, console), 0);
  assert.equal(out(), '# to_upper(metadata.name)\n\n"PIPED"');
  assert.equal(err(), "Reading from terminal input.\nEnter input object and hit Ctrl+D.");
});

Deno.test("jp query prompts for the expression when only an object is given", async () => {
  const { console, out, err } = spoken("kind");
  assert.equal(await jpQuery({ ...noQueries, input }, console), 0);
  assert.equal(out(), '# kind\n"Pod"');
  assert.equal(err(), "Reading from terminal input.\nEnter a jmespath expression and hit Ctrl+D.");
});

const refusals: [query: string, message: RegExp][] = [
  ["metadata.uid", /^Error: error evaluating JMESPath expression: Unknown key "uid" in path$/],
  [
    "metadata..name",
    /^Error: failed to compile JMESPath: metadata\.\.name, error: SyntaxError: [^\n]+\nmetadata\.\.name\n {9}\^$/,
  ],
  ["length(spec[0])", /^Error: error evaluating JMESPath expression: /],
];
for (const [query, message] of refusals) {
  Deno.test(`jp query refuses ${query}`, async () => {
    const { console, out, err } = spoken();
    assert.equal(await jpQuery({ ...noQueries, queries: [query], input }, console), 1);
    assert.equal(out(), "");
    assert.match(err(), message);
  });
}

Deno.test("jp query needs an expression or an object, and existing files", async () => {
  const { console, err } = spoken();
  assert.equal(await jpQuery(noQueries, console), 1);
  assert.equal(err(), "Error: at least one query or input object is required");
  assert.equal(await jpQuery({ ...noQueries, queries: ["a"], input: `${input}.missing` }, console), 1);
  assert.match(err(), /Error: failed open file .*input\.yaml\.missing: /);
  const broken = spoken("a: [");
  assert.equal(await jpQuery({ ...noQueries, queries: ["a"] }, broken.console), 1);
  assert.match(broken.err(), /Error: error parsing input json: /);
});

Deno.test("jp function describes functions with signature, note and examples", () => {
  const { terminal, out } = heard();
  assert.equal(jpFunction(["truncate", "to_upper"], { terminal }), 0);
  assert.match(out(), /^Name: to_upper\n {2}Signature: to_upper\(string\) string\n {2}Note: {6}\S/);
  assert.match(out(), /\nName: truncate\n {2}Signature: truncate\(string, number\) string\n/);
  assert.match(out(), /\n {2}Example: {3}truncate\('Hello World', `5`\) is "Hello"\n/);
});

Deno.test("jp function without names describes all, sorted", () => {
  const { terminal, out } = heard();
  assert.equal(jpFunction([], { terminal }), 0);
  const names = [...out().matchAll(/^Name: (\w+)$/gm)].map((match) => match[1]!);
  assert.deepEqual(names, [...kyvernoFunctions().keys()].sort());
});

Deno.test("jp function names a function that does not exist", () => {
  const { terminal, err } = heard();
  assert.equal(jpFunction(["trunkate"], { terminal }), 1);
  assert.equal(err(), "Error: there is no function trunkate; did you mean truncate?");
});

Deno.test("jp parse prints trees as Kyverno does", async () => {
  const { console, out } = spoken();
  const expressions = [
    "request.object.metadata.name | truncate(@, `9`)",
    "a[0].b[*].c[1:2][]",
    'a[?b == `{"x":[1,"y",null]}` && !c || d].{"e f": *, g: &h}',
    "[@, 'raw']",
  ];
  assert.equal(await jpParse({ expressions, files: [] }, console), 0);
  golden(join(import.meta.dirname!, "golden", "jp", "trees.golden"), out());
});

Deno.test("jp parse marks the position of a syntax error", async () => {
  const { console, err } = spoken("a.b ||| c");
  assert.equal(await jpParse({ expressions: [], files: [] }, console), 1);
  assert.match(err(), /Error: SyntaxError: Invalid token: tPipe\na\.b \|\|\| c\n {6}\^$/);
});
