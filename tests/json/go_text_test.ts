import assert from "node:assert/strict";
import fc from "fast-check";
import { compareBytes, equal, goFloat, goJson, goPrint, type Json, setField } from "../../lib/json/mod.ts";

const floats: [value: number, text: string][] = [
  [0, "0"],
  [1, "1"],
  [1.5, "1.5"],
  [100000, "100000"],
  [1000000, "1e+06"],
  [1234567, "1.234567e+06"],
  [0.0001, "0.0001"],
  [0.00001, "1e-05"],
  [-2.25, "-2.25"],
  [1e21, "1e+21"],
];
for (const [value, text] of floats) {
  Deno.test(`goFloat() prints ${value} as ${text}`, () => assert.equal(goFloat(value), text));
}

Deno.test("goPrint() prints maps in key order and nil as <nil>", () => {
  assert.equal(goPrint({ b: [1, "x"], a: null }), "map[a:<nil> b:[1 x]]");
});

Deno.test("goJson() sorts keys and escapes the characters of HTML", () => {
  assert.equal(goJson({ b: "<&>", a: 1 }), '{"a":1,"b":"\\u003c\\u0026\\u003e"}');
});

Deno.test("goJson() sorts keys that are numbers as texts, as Go does", () => {
  const value = { "-": 0, "10": { b: "<", "2": [], "1": {} }, "2": [{ "3": 1, "20": 2 }], a: null };
  assert.equal(goJson(value), '{"-":0,"10":{"1":{},"2":[],"b":"\\u003c"},"2":[{"20":2,"3":1}],"a":null}');
  assert.equal(
    goJson({ a: [{ "2": [], "10": [1, 2] }], b: {} }, "  "),
    '{\n  "a": [\n    {\n      "10": [\n        1,\n        2\n      ],\n      "2": []\n    }\n  ],\n  "b": {}\n}',
  );
});

Deno.test("goJson() writes any keys in the order of their bytes", () => {
  const key = fc.oneof(
    fc.nat().map(String),
    fc.constantFrom("__proto__", "4294967295", "01", "-1", "a"),
    fc.string(),
  );
  fc.assert(fc.property(fc.uniqueArray(key), (keys) => {
    const written = keys.toSorted(compareBytes).map((each) => `${goJson(each)}:1`);
    assert.equal(goJson(Object.fromEntries(keys.map((each) => [each, 1]))), `{${written.join(",")}}`);
  }));
});

Deno.test("compareBytes() orders characters beyond U+FFFF after all others", () => {
  assert.ok(compareBytes("\u{1F600}", "\uFFFD") > 0);
  assert.ok(compareBytes("a", "ab") < 0);
});

Deno.test("equal() ignores the order of keys and sees inherited names as absent", () => {
  assert.ok(equal({ a: 1, b: [2] }, { b: [2], a: 1 }));
  assert.ok(!equal({ toString: 1 } as Json, {}));
  assert.ok(!equal([], {}));
});

Deno.test("setField() keeps __proto__ an ordinary key", () => {
  const target: { [key: string]: Json } = {};
  setField(target, "__proto__", { polluted: true });
  assert.deepEqual(Object.keys(target), ["__proto__"]);
  assert.equal(({} as { polluted?: boolean }).polluted, undefined);
});
