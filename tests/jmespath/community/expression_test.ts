import assert from "node:assert/strict";
import { isFault, type Json } from "../../../lib/json/mod.ts";
import {
  Bindings,
  communityCompiler,
  communityFunctionNotes,
  communityFunctions,
  kyvernoFunctions,
} from "../../../lib/jmespath/mod.ts";

const kyverno = kyvernoFunctions();
const functions = communityFunctions(kyverno);
const compile = communityCompiler(functions);
const environment = { now: () => 0, random: () => 0 };

function evaluate(text: string, value: Json = null, bindings: Bindings = Bindings.none): Json {
  const expression = compile(text);
  assert.ok(!isFault(expression), isFault(expression) ? `${text}: ${expression.message}` : "");
  const result = expression(value, { bindings, environment });
  return isFault(result) ? `fault: ${result.message}` : result;
}

const pod = {
  name: "web",
  n: 7,
  labels: { b: "2", a: "1" },
  containers: [{ name: "a", port: 80 }, { name: "b", port: 443 }, { name: "c" }],
  nested: [[1, [2]], [3], 4],
};

const results: [text: string, result: Json][] = [
  ["missing", null],
  ["json_parse('null')", null],
  ["missing.deeper", null],
  ["name.deeper", null],
  ["toString", null],
  ["$.name", "web"],
  ["containers[0].[name, $.name]", ["a", "web"]],
  ["containers[*].port", [80, 443]],
  ["containers[?port > `100`].name", ["b"]],
  ["containers[-1].name", "c"],
  ["containers[9]", null],
  ["containers[::-1].name", ["c", "b", "a"]],
  ["name[1:]", "eb"],
  ["nested[]", [1, [2], 3, 4]],
  ["labels.*", ["1", "2"]],
  ["{a: name, b: n}", { a: "web", b: 7 }],
  ["[name, missing]", ["web", null]],
  ["name | length(@)", 3],
  ["missing || name", "web"],
  ["missing && name", null],
  ["!missing", true],
  ["n == `7`", true],
  ["name < 'x'", null],
  ["'it\\'s'", "it's"],
  ['"name"', "web"],
  ["sort_by(containers, &name)[0].port", 80],
  ["max_by(containers[?port], &port).name", "b"],
  // Arithmetic.
  ["n + `1`", 8],
  ["n - `1` * `2`", 5],
  ["(n - `1`) * `2`", 12],
  ["n / `2`", 3.5],
  ["n // `2`", 3],
  ["n % `4`", 3],
  ["-n", -7],
  ["n × `2` ÷ `7`", 2],
  ["containers[*].port × n", null],
  ["n − `2`", 5],
  ["name + `1`", null],
  ["n / `0` > `1`", true],
  // Names.
  ["let $x = n in $x + $x", 14],
  ["let $x = `1`, $y = `2` in let $x = $y in [$x, $y]", [2, 2]],
  [
    "containers[*].(let $c = @ in $c.name)",
    "SyntaxError: expected a name, [ or { after the dot, found ( at character 15",
  ],
  ["let $all = containers in containers[0].[name, length($all)]", ["a", 3]],
  // A let's values do not see each other.
  ["let $x = `1`, $y = $x in $y", "fault: variable not defined: $x"],
  ["$nobody", "fault: variable not defined: $nobody"],
  // Functions that this dialect has its own way with.
  ["contains(nested, `[3]`)", true],
  ["avg(`[]`)", null],
  ["items(labels, 'k', 'v')[0]", { k: "a", v: "1" }],
  ["items(labels)", "fault: invalid arity, the function 'items' expects 3 arguments but 1 were supplied"],
  [
    "upper(name, name)",
    "fault: invalid arity, the function 'upper' expects at most 1 arguments but 2 were supplied",
  ],
  ["zip()", "fault: invalid arity, the function 'zip' expects 1 argument or more but none were supplied"],
  ["zip(containers[*].name, [n])", [["a", 7]]],
  ["find_first(name, 'b')", 2],
  ["find_first(name, 'w', `1`)", null],
  ["find_last('abcab', 'ab', `0`, `4`)", 0],
  ["pad_left(name, `5`)", "  web"],
  [
    "pad_right(name, `-1`)",
    "fault: invalid value, the function 'pad_right' expects its 'width' argument to be a an integer value greater than or equal to zero.",
  ],
  ["trim_left('  a ')", "a "],
  ["group_by(`[]`, &x)", null],
  [
    "from_items(`[[1, 2]]`)",
    "fault: invalid value, each array must contain two elements, a pair of string and value",
  ],
  ["at(containers, `5`)", "fault: JMESPath function 'at': there is no element 5"],
  ["json_parse('{')", "fault: JMESPath function 'json_parse': the text is not JSON"],
  ["length(n)", 'fault: invalid type for: 7, expected: []functions.JpType{"string", "array", "object"}'],
  ["map(&name, containers)", ["a", "b", "c"]],
  ["map(name, containers)", 'fault: invalid type for: a value, expected: []functions.JpType{"expref"}'],
  ["nothing(n)", "fault: unknown function: nothing"],
  // Kyverno's own.
  ["semver_compare('1.2.3', '>=1.0.0')", true],
  ["to_upper(name)", "WEB"],
  ["add('1Gi', '1Gi')", "2Gi"],
  ["split('a,b', ',')", ["a", "b"]],
];
for (const [text, result] of results) {
  Deno.test(`${text} is ${JSON.stringify(result)}`, () => {
    if (typeof result === "string" && result.startsWith("SyntaxError")) {
      const fault = compile(text);
      assert.equal(isFault(fault) && fault.message, result);
    } else assert.deepEqual(evaluate(text, pod), result);
  });
}

const refused = [
  "",
  "a b",
  "a.",
  "a[",
  "a[b]",
  "a[1 2]",
  "a[1:2:3:4]",
  "(a",
  "{a}",
  "{a: b,}",
  "[a,]",
  "'open",
  '"open',
  "`open",
  "`{`",
  "f(a",
  "f(a b)",
  '"f"(a)',
  "a = b",
  "let $x = a",
  "let $x a in b",
  "a -1",
  "#",
  "*.a b",
  "a[*] * b",
  "(".repeat(1000) + "a" + ")".repeat(1000),
  "!".repeat(5000) + "a",
];
for (const text of refused) {
  Deno.test(`compile() refuses ${JSON.stringify(text.slice(0, 20))}`, () => {
    const fault = compile(text);
    assert.ok(isFault(fault));
    assert.match(fault.message, /^SyntaxError: .* at character \d+$/);
  });
}

Deno.test("bindings shadow from the inside, and lazy ones are computed once", () => {
  let computed = 0;
  const outer = Bindings.none.withLazy("x", () => ++computed).with("y", "outer");
  assert.deepEqual(evaluate("[$x, $x, $y]", null, outer.with("y", "inner")), [1, 1, "inner"]);
  assert.deepEqual(evaluate("[$x, $y]", null, outer), [1, "outer"]);
});

Deno.test("a binding that needs its own value is a fault", () => {
  const bindings: Bindings = Bindings.none.withLazy("x", () => bindings.get("x")!);
  assert.equal(evaluate("$x", null, bindings), "fault: the value of $x depends on itself");
});

Deno.test("every function of the community has a note", () => {
  const differing = [...functions.values()].filter(({ record }) => kyverno.get(record.name) !== record);
  const names = differing.map(({ record }) => record.name);
  assert.deepEqual(names.sort(), Object.keys(communityFunctionNotes()).sort());
});

for (const [name, { examples }] of Object.entries(communityFunctionNotes())) {
  for (const { expression, input = null, result } of examples) {
    Deno.test(`example of ${name}: ${expression}`, () => {
      assert.deepEqual(evaluate(expression, input), result);
    });
  }
}

const growing: string[] = [
  Array.from({ length: 40 }, () => "[@, @]").join(" | "),
  Array.from({ length: 40 }, () => "map(&[@, @], [@, @])").join(" | "),
  `${
    Array.from({ length: 40 }, (_, index) => `let $x${index + 1} = [$x${index}, $x${index}] in `).join("")
  }$x40`,
];
for (const text of growing) {
  Deno.test(`compile() refuses a result that doubles at each step: ${text.slice(0, 30)}…`, () => {
    const fault = compile(text);
    assert.match(isFault(fault) ? fault.message : "", /could hold its input more than 10000 times/);
  });
}

Deno.test("compile() refuses texts that no policy needs", () => {
  assert.ok(isFault(compile("a".repeat(100_001))));
});
