import assert from "node:assert/strict";
import fc from "fast-check";
import { completed, type Json, parseInStages, parseJson, parseJsonText } from "../../lib/json/mod.ts";

/** Texts whose first name or names an earlier text taught `JSON.parse` of V8 15 to expect, and their names. */
const escaped: readonly (readonly [before: string, text: string, names: readonly string[]])[] = [
  [String.raw`{"a":"","\\":""}`, String.raw`{"a":"","\t":""}`, ["a", "\t"]],
  [String.raw`{"b":"","q\\":""}`, String.raw`{"b":"","q\u0041":""}`, ["b", "qA"]],
  [String.raw`{"c":1,"\\u0068os":1}`, String.raw`{"c":1,"\u0068ostPath":{"path":"/"}}`, ["c", "hostPath"]],
  [String.raw`{"d":1,"\\u003cnam":1}`, String.raw`{"d":1,"\u003cname>": 1}`, ["d", "<name>"]],
  [String.raw`{"f":1,"k:{\\\"name\\\":\\\"":1}`, String.raw`{"f":1,"k:{\"name\":\"b\"}":1}`, [
    "f",
    'k:{"name":"b"}',
  ]],
  [String.raw`{"e":1,"\\u0068os":1}`, '{"e":1,"\\u0068ostPath"\r\n\t : 1}', ["e", "hostPath"]],
];
for (const [before, text, names] of escaped) {
  Deno.test(`a name with an escape is read as it is written, after ${before}: ${JSON.stringify(text)}`, () => {
    JSON.parse(before);
    assert.deepEqual(Object.keys(parseJsonText(text)!), names);
    assert.deepEqual(Object.keys(parseJson(text)!), names);
    const [, long] = completed(parseInStages(`[${before},${text}]`, 4)) as [Json, Json];
    assert.deepEqual(Object.keys(long!), names);
  });
}

const refused: readonly string[] = [
  String.raw`{"\t":1`,
  String.raw`{"\t":1}}`,
  String.raw`{"\t":1,}`,
  String.raw`{"\t":1 "a":2}`,
  String.raw`{"\t":1,a:2}`,
  String.raw`{"\t"}`,
  String.raw`{"\t":}`,
  String.raw`{"\t":[1,]}`,
  String.raw`{"\t":[1}`,
  String.raw`{"\t":01}`,
  String.raw`{"\t":+1}`,
  String.raw`{"\t":NaN}`,
  String.raw`{"\t":nul}`,
  String.raw`{"\x":1}`,
  String.raw`{"\u12":1}`,
  String.raw`{"\t":"` + "\n" + '"}',
  String.raw`{"\t":1` + "\u00a0}",
  String.raw`{"\t":"`,
  String.raw`{"\t":1} 1`,
];
for (const text of refused) {
  Deno.test(`no JSON, with an escaped name: ${JSON.stringify(text)}`, () => {
    assert.throws(() => parseJsonText(text), SyntaxError);
    assert.throws(() => JSON.parse(text), SyntaxError);
  });
}

Deno.test("a name that occurs twice has its last value, and __proto__ is a name as any other", () => {
  const value = parseJsonText(String.raw`{"\u0061":1,"b":2,"a":3,"\u005f_proto__":{"c":4}}`) as {
    [name: string]: Json;
  };
  assert.equal(JSON.stringify(value), '{"a":3,"b":2,"__proto__":{"c":4}}');
  assert.equal(value["c"], undefined);
});

const name = fc.array(
  fc.constantFrom("\\", "\t", '"', "a", "u", "0", "é", "\u0000", "\ud800", ":", "\\u0061"),
  {
    maxLength: 3,
  },
).map((parts) => parts.join(""));
const { value } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    name,
    fc.double({ noDefaultInfinity: true, noNaN: true }).map((number) => number + 0),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(name, tie("value"), { maxKeys: 4, noNullPrototype: true }),
  ),
}));

Deno.test("a value reads back as it was written, whatever was read before", () => {
  fc.assert(
    fc.property(value, fc.constantFrom(undefined, 1, "\t"), (value, space) => {
      assert.deepEqual(parseJsonText(JSON.stringify(value, undefined, space)), value);
    }),
    { numRuns: 2_000 },
  );
});

Deno.test("a name is read as it is written after an object whose name is the beginning of that text", () => {
  const letter = fc.constantFrom("a", "k", "{", '"', "\\", "\n", "é", "☃", "0");
  const letters = fc.array(fc.tuple(letter, fc.boolean()), { minLength: 1, maxLength: 6 });
  let count = 0;
  fc.assert(
    fc.property(letters, fc.constantFrom("", ',"☃":1'), (letters, rest) => {
      const name = letters.map(([letter]) => letter).join("");
      const written = letters.map(([letter, isEscaped]) => isEscaped ? inHex(letter) : short(letter)).join(
        "",
      );
      const first = `first-${count++}`;
      JSON.parse(JSON.stringify({ [first]: 1, [written.slice(0, name.length)]: 1 }));
      const value = parseJsonText(`{"${first}":1,"${written}":1${rest}}`);
      assert.equal(Object.keys(value!).includes(name), true, `"${written}"`);
    }),
    { numRuns: 5_000 },
  );
});

Deno.test("JSON.parse reads an object with managed fields at once, as it is much faster", () => {
  const managedFields = [{
    fieldsV1: { "f:containers": { 'k:{"name":"web"}': { ".": {}, "f:image": {} } } },
  }];
  const text = JSON.stringify({ metadata: { name: "web", managedFields } });
  const parse = JSON.parse;
  let calls = 0;
  JSON.parse = (...given) => {
    calls++;
    return parse(...given);
  };
  try {
    assert.deepEqual(parseJsonText(text), { metadata: { name: "web", managedFields } });
  } finally {
    JSON.parse = parse;
  }
  assert.equal(calls, 1);
});

function inHex(letter: string): string {
  return `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** A letter as `JSON.stringify` writes it. */
function short(letter: string): string {
  return JSON.stringify(letter).slice(1, -1);
}
