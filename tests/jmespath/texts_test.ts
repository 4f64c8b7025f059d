/** Functions of texts where Go and JavaScript differ. */
import assert from "node:assert/strict";
import fc from "fast-check";
import type { Json } from "../../lib/json/mod.ts";
import { evaluate } from "./evaluate.ts";

/** A function on arguments. */
function call(name: string, ...args: readonly Json[]): Json {
  const names = args.map((_, index) => `a${index}`);
  return evaluate(
    `${name}(${names.join(", ")})`,
    Object.fromEntries(names.map((key, index) => [key, args[index]!])),
  );
}

const cases: readonly (readonly [name: string, args: readonly Json[], result: Json])[] = [
  ["to_upper", ["straße ﬁ ŉ"], "STRAßE ﬁ ŉ"],
  ["to_upper", ["ᾳᾀ"], "ᾼᾈ"],
  ["to_lower", ["İΑΣ"], "iασ"],
  ["equal_fold", ["ſK", "sk"], true],
  ["equal_fold", ["ß", "ẞ"], true],
  ["equal_fold", ["ß", "ss"], false],
  ["equal_fold", ["İ", "i"], false],
  ["compare", ["Z", "a"], -1],
  ["compare", ["😀", "\uffee"], 1],
  ["length", ["😀é"], 2],
  ["reverse", ["a😀b"], "b😀a"],
  ["split", ["", ","], [""]],
  ["split", ["", ""], []],
  ["split", ["a,b,", ","], ["a", "b", ""]],
  ["replace", ["aaa", "a", "b", 2], "bba"],
  ["replace", ["aaa", "a", "b", 0], "aaa"],
  ["replace", ["aaa", "a", "b", -0.5], "aaa"],
  ["replace", ["ab", "", "-", -1], "-a-b-"],
  ["replace", ["ab", "", "-", 2], "-a-b"],
  ["replace", ["😀b", "", "-", 2], "-😀-b"],
  ["replace_all", ["$&", "$", "$$"], "$$&"],
  ["trim", ["xx😀yxx", "x😀"], "y"],
  ["trim", ["abc", ""], "abc"],
  ["truncate", ["a😀b", 2], "a😀"],
  ["truncate", ["abc", -1], ""],
  ["truncate", ["abc", 1.9], "a"],
  ["truncate", ["abc", 1e21], ""],
  [
    "to_boolean",
    ["yes"],
    "error: JMESPath function 'to_boolean': lowercase argument must be 'true' or 'false' (provided: 'yes')",
  ],
  ["to_string", ["<"], "<"],
  ["to_string", [["<&>"]], '["\\u003c\\u0026\\u003e"]'],
  ["to_number", ["0x1p-2"], 0.25],
  ["to_number", ["1_0"], 10],
  ["to_number", ["1__0"], null],
  ["to_number", ["1_"], null],
  ["to_number", ["0x_1p0"], 1],
  ["to_number", ["1e400"], null],
  ["to_number", [" 1"], null],
  ["pattern_match", ["1677721?", 16777217], true],
  ["regex_match", ["^16777216$", 16777217], true],
  ["regex_match", ["(?i)^POD$", "pod"], true],
  ["regex_match", ["(?=x)", "x"], "error: error parsing regexp: invalid or unsupported Perl syntax: `(?=`"],
  ["regex_replace_all", ["a*", "baac", "x"], "xbxcx"],
  ["regex_replace_all", ["(a)(b)?", "ab a", "$2-$1x-$$-${9}"], "b--$- --$-"],
  ["regex_replace_all", ["(?P<first>.)b", "ab", "${first}$first_"], "a"],
  [
    "regex_replace_all",
    ["(", "x", "y"],
    "error: JMESPath function 'regex_replace_all': error parsing regexp: missing closing ): `(`",
  ],
  ["regex_replace_all_literal", ["a", "banana", "$0"], "b$0n$0n$0"],
  ["base64_decode", ["aGk"], "error: illegal base64 data at input byte 0"],
  ["base64_decode", ["aGk=\n"], "hi"],
  ["base64_decode", ["a=k="], "error: illegal base64 data at input byte 1"],
  ["base64_decode", ["77+9gIA="], "\ufffd\ufffd\ufffd"],
  ["base64_encode", ["é😀"], "w6nwn5iA"],
  ["parse_json", ["{a}"], "error: invalid character 'a' looking for beginning of object key string"],
  ["parse_json", ["[1 2]"], "error: invalid character '2' after array element"],
  ["parse_json", ['{"a" 1}'], "error: invalid character '1' after object key"],
  ["parse_json", ['{"a":1 "b"}'], "error: invalid character '\"' after object key:value pair"],
  ["parse_json", ["01"], "error: invalid character '1' after top-level value"],
  ["parse_json", ["1.x"], "error: invalid character 'x' after decimal point in numeric literal"],
  ["parse_json", ["1e"], "error: invalid character ' ' in exponent of numeric literal"],
  ["parse_json", ['"\n"'], "error: invalid character '\\n' in string literal"],
  ["parse_json", ['"\\u12x"'], "error: invalid character 'x' in \\u hexadecimal character escape"],
  ["parse_json", ["[1,"], "error: unexpected end of JSON input"],
  ["parse_json", ["1e999"], "error: json: cannot unmarshal number into Go value of type float64"],
  ["parse_yaml", ["a: [yes, 0x10, ~]"], { a: [true, 16, null] }],
  ["path_canonicalize", ["/../a//b/./c/.."], "/a/b"],
  ["path_canonicalize", ["../../a/../.."], "../../.."],
  ["path_canonicalize", [""], ""],
  ["semver_compare", ["garbage", "<1.0.0"], true],
  ["semver_compare", ["1.0.0", "garbage"], 'error: Could not get version from string: "garbage"'],
  [
    "image_normalize",
    ["UPPER"],
    "error: JMESPath function 'image_normalize': bad image: docker.io/UPPER, defaultRegistry: docker.io, " +
    "enableDefaultRegistryMutation: true: repository name must be lowercase",
  ],
  ["is_external_url", ["http://[::ffff:10.0.0.1]:80/"], false],
  ["is_external_url", ["http://[fe80::1%25eth0]/"], true],
  ["is_external_url", ["http://user:10.0.0.1@8.8.8.8/"], true],
  [
    "is_external_url",
    ["https://example.com"],
    "error: JMESPath function 'is_external_url': host \"example.com\" is no IP address, " +
    "and names are not looked up",
  ],
  ["is_external_url", ["http://1.2.3.4:x"], 'error: parse "http://1.2.3.4:x": invalid port ":x" after host'],
  ["object_from_lists", [["a", 1, true], [1]], { a: 1, "1": null, true: null }],
  [
    "object_from_lists",
    [[null], []],
    "error: JMESPath function 'object_from_lists': argument #1 is not of type StringArray",
  ],
  ["object_from_lists", [["a", "a"], [1, 2]], { a: 2 }],
  [
    "lookup",
    [[1, 2], 1.5],
    "error: JMESPath function 'lookup': argument #2: expected an integer number but got: 1.5",
  ],
  ["lookup", [[1, 2], -1], null],
  ["lookup", [{ a: 1 }, 1], "error: JMESPath function 'lookup': argument #2 is not of type String"],
  ["lookup", [{ a: 1 }, "toString"], null],
  ["items", [["x"], "a", "a"], [{ a: "x" }]],
  ["label_match", [{}, { a: 1 }], true],
  ["label_match", [{ toString: 1 }, {}], false],
  ["contains", [[1, "1"], "1"], true],
  ["contains", [[[1]], [1]], false],
  ["merge", [{ a: 1 }, null], "error: merge() takes objects only"],
  ["truncate", ["text", 1e30], ""],
  ["round", [2.5, 0], 3],
  ["round", [-2.5, 0], -3],
  ["round", [0.49999999999999994, 0], 0],
  ["round", [1, 0.5], "error: JMESPath function 'round': Non-integer argument(s) passed for round off"],
  [
    "round",
    [1, -1],
    "error: JMESPath function 'round': %!d(MISSING) argument is out of bounds (%!d(MISSING))",
  ],
  ["sort", [["é", "z", "Z"]], ["Z", "z", "é"]],
  [
    "max",
    [[1, "a"]],
    'error: Invalid type for: [1 a], expected: []jmespath.JpType{"array[number]", "array[string]"}',
  ],
];

for (const [name, args, result] of cases) {
  Deno.test(`${name}(${args.map((arg) => JSON.stringify(arg)).join(", ")}) is ${JSON.stringify(result)}`, () => {
    assert.deepEqual(call(name, ...args), result);
  });
}

Deno.test("numbers become text with the digits of a 32-bit float", () => {
  const text = (number: number): Json => call("regex_replace_all_literal", "^$", number, "");
  assert.equal(text(16777217), "16777216");
  assert.equal(text(0.1), "0.1");
  assert.equal(text(1e21), "1000000000000000000000");
  assert.equal(text(-1.5e-7), "-0.00000015");
  assert.equal(text(0), "0");
});

Deno.test("base64 of any text decodes to it", () => {
  fc.assert(fc.property(fc.string({ unit: "grapheme" }), (text) => {
    assert.equal(call("base64_decode", call("base64_encode", text)), text);
  }));
});

Deno.test("parse_json() reverses to_string()", () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => {
    const json = JSON.parse(JSON.stringify(value)) as Json;
    if (typeof json !== "string") assert.deepEqual(call("parse_json", call("to_string", json)), json);
  }));
});

Deno.test("random texts match their pattern", () => {
  const patterns = [
    "[a-z0-9]{6}",
    "a|bc|d{2,3}",
    "(x[^a-z]?)+y*",
    "\\d{3}-\\w+\\.[[:upper:]]",
    "^.\\.$",
    "(?i)abc",
    "(?P<name>é|日)\\x41\\Q.*\\E",
    "\\pL\\s",
    "[]a-]{3}",
    "a{0}b??",
    "(?:ab){2}",
    "()",
  ];
  let state = 1;
  const random = (): number => (state = state * 48271 % 2147483647) / 2147483647;
  for (const pattern of patterns) {
    for (let round = 0; round < 20; round++) {
      const text = evaluate("random(@)", pattern, { environment: { now: () => 0, random } });
      assert.equal(
        call("regex_match", `^(?:${pattern})$`, text),
        true,
        `${pattern}: ${JSON.stringify(text)}`,
      );
    }
  }
  assert.equal(call("random", ""), "error: no pattern provided");
  assert.equal(call("random", "["), "error: error parsing regexp: missing closing ]: `[`");
});
