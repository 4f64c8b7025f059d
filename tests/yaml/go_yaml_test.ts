import assert from "node:assert/strict";
import fc from "fast-check";
import type { Json } from "../../lib/json/mod.ts";
import { goYaml, parseYaml, toYaml } from "../../lib/yaml/mod.ts";

const scalars: [text: string, written: string][] = [
  ["", '""'],
  ["plain text", "plain text"],
  ["yes", '"yes"'],
  ["n", '"n"'],
  ["1.5", '"1.5"'],
  ["0o7", '"0o7"'],
  ["12:30", '"12:30"'],
  ["2023-01-01", '"2023-01-01"'],
  ["2023-02-30", "2023-02-30"],
  ["~", '"~"'],
  ["a: b", "'a: b'"],
  ["a:b", "a:b"],
  ["a #b", "'a #b'"],
  ["a#b", "a#b"],
  ["- a", "'- a'"],
  ["-a", "-a"],
  ["---", "'---'"],
  ["it's", "it's"],
  ["'it's", "'''it''s'"],
  ["`x`", "'`x`'"],
  ["*", "'*'"],
  [" a", "' a'"],
  ["a ", "'a '"],
  ["a\tb", '"a\\tb"'],
  ["a\u0007", '"a\\a"'],
  ["a\\b", "a\\b"],
  ["\r\n", '"\\r\\n"'],
  ["é日", "é日"],
  ["𝄞", '"\\U0001D11E"'],
  ["\u2028", '"\\L"'],
  ["<<", '"<<"'],
  ["a\nb", "|-\n  a\n  b"],
  ["a\n", "|\n  a"],
  ["a\n\n", "|+\n  a\n"],
  ["\n", "|2+\n"],
  [" a\nb", "|2-\n   a\n  b"],
  ["a\n\nb\n", "|\n  a\n\n  b"],
  ["a \nb", '"a \\nb"'],
  ["a\nb ", '"a\\nb "'],
  ["x ".repeat(60) + "y", "x ".repeat(60) + "y"],
];
for (const [text, written] of scalars) {
  Deno.test(`goYaml() writes ${JSON.stringify(text.slice(0, 20))} as ${JSON.stringify(written.slice(0, 20))}`, () => {
    assert.equal(goYaml({ k: text }), `k: ${written}\n`);
  });
}

Deno.test("goYaml() escapes every character after a leading U+FEFF", () => {
  assert.equal(goYaml("\ufeffa\u00a0"), '"\\uFEFF\\x61\\_"\n');
});

Deno.test("goYaml() with an indent of four prints as Kyverno's command line does", () => {
  const value = {
    long: "one\ntwo\n",
    lead: "  first\nsecond",
    containers: [{
      args: ["-c", "a\nb", "  lead\nx"],
      command: [["a", "b"], [{ c: [1, 2.5] }]],
      env: [],
      resources: { limits: { cpu: 1 }, note: "  lead\nx" },
    }],
    nested: { a: { b: [{ c: { d: [1] } }] } },
  };
  const text = `containers:
    - args:
        - -c
        - |-
          a
          b
        - |2-
            lead
          x
      command:
        - - a
          - b
        - - c:
                - 1
                - 2.5
      env: []
      resources:
        limits:
            cpu: 1
        note: |4-
              lead
            x
lead: |4-
      first
    second
long: |
    one
    two
nested:
    a:
        b:
            - c:
                d:
                    - 1
`;
  assert.equal(goYaml(value, 4), text);
  assert.deepEqual(parseYaml(text), value);
});

Deno.test("goYaml() indents maps and lists by two", () => {
  const value = { b: [1, [true, null], { x: "y", w: [] }], a: { "": {} } };
  assert.equal(
    goYaml(value),
    'a:\n  "": {}\nb:\n  - 1\n  - - true\n    - null\n  - w: []\n    x: "y"\n',
  );
});

Deno.test("toYaml() does not indent lists below their keys", () => {
  assert.equal(toYaml({ a: ["x", { b: ["y z\nw"] }] }), "a:\n- x\n- b:\n  - |-\n    y z\n    w\n");
});

Deno.test("keys of several lines and long keys are written as explicit keys", () => {
  assert.equal(goYaml({ "a\nb": "c" }), "? |-\n  a\n  b\n: c\n");
  assert.equal(goYaml({ ["é".repeat(65)]: { k: "v" } }), `? ${"é".repeat(65)}\n: k: v\n`);
  assert.equal(goYaml({ ["é".repeat(64)]: "v" }), `${"é".repeat(64)}: v\n`);
});

Deno.test("keys are sorted in natural order", () => {
  const keys = ["b10", "b9", "B", "a-b", "ab", "a1b", "autogen-x", "_", "10", "9", "09", "é"];
  const expected = ["_", "9", "09", "10", "B", "a-b", "a1b", "ab", "autogen-x", "b9", "b10", "é"];
  const written = goYaml(Object.fromEntries(keys.map((key) => [key, 0])));
  assert.deepEqual(
    written.trim().split("\n").map((line) => line.split(":")[0]!.replaceAll('"', "")),
    expected,
  );
});

Deno.test("whole numbers are written without a fraction", () => {
  assert.equal(goYaml([1000000, 1.5, 1e21, -0.25]), "- 1000000\n- 1.5\n- 1e+21\n- -0.25\n");
});

const large: readonly (readonly [number, string])[] = [
  [2 ** 53, "9007199254740992"],
  [-(2 ** 53), "-9007199254740992"],
  [2 ** 62, "4611686018427387904"],
  [-(2 ** 63), "-9223372036854775808"],
  [2 ** 63, "9.223372036854776e+18"],
  [1e30, "1e+30"],
];
for (const [value, expected] of large) {
  Deno.test(`a whole number that Go holds in 64 bits is written with all digits: ${expected}`, () => {
    assert.equal(goYaml([value]), `- ${expected}\n`);
    assert.equal(toYaml({ a: value }), `a: ${expected}\n`);
  });
}

const fragments = fc.constantFrom(
  ..."a 0 1e3 yes null ~ : - # ? , [ ] { } & * ! | > ' \" % @ ` --- ... \\ é 𝄞".split(" "),
  ..." |  |\n|\n\n|\t|: |- | #|\u0000|\u0085|\u2028|\ufeff|\r".split("|"),
);
const text = fc.array(fragments, { maxLength: 6 }).map((parts) => parts.join(""));
const { value } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    text,
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(text, tie("value"), { maxKeys: 3, noNullPrototype: true }),
  ),
}));

Deno.test("a written value reads back as the same value", () => {
  fc.assert(
    fc.property(value, (value) => {
      assert.deepEqual(parseYaml(goYaml({ value })), { value });
      assert.deepEqual(parseYaml(toYaml({ value })), { value });
    }),
    { numRuns: 2000 },
  );
});
