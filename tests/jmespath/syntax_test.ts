/** Which texts are expressions, and Kyverno's message and position for those that are not. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { isFault, type Json } from "../../lib/json/mod.ts";
import { compileExpression, SyntaxFault } from "../../lib/jmespath/mod.ts";
import { evaluate } from "./evaluate.ts";

const refused: readonly (readonly [text: string, message: string, offset: number])[] = [
  ["", "SyntaxError: Incomplete expression", 0],
  ["a.", "SyntaxError: Expected identifier, lbracket, or lbrace", 2],
  ["a..b", "SyntaxError: Expected identifier, lbracket, or lbrace", 2],
  ["a.(b)", "SyntaxError: Expected identifier, lbracket, or lbrace", 2],
  ["..", "SyntaxError: Invalid token: tDot", 0],
  ["a b", "SyntaxError: Unexpected token at the end of the expression: tUnquotedIdentifier", 2],
  ["a @", "SyntaxError: Unexpected token at the end of the expression: tCurrent", 2],
  ["a)", "SyntaxError: Unexpected token at the end of the expression: tRparen", 1],
  ["a[", "SyntaxError: Expected tStar, received: tEOF", 2],
  ["a[b]", "SyntaxError: Expected tStar, received: tUnquotedIdentifier", 2],
  ["a[0", "SyntaxError: Expected tRbracket, received: tEOF", 3],
  ["a[1:x]", "SyntaxError: Expected tColon or tNumber, received: tUnquotedIdentifier", 4],
  ["a[?]", "SyntaxError: Invalid token: tRbracket", 3],
  ["a[-]", 'strconv.Atoi: parsing "-": invalid syntax', 2],
  ["[a b]", "SyntaxError: Expected tComma, received: tUnquotedIdentifier", 3],
  ["[a,]", "SyntaxError: Invalid token: tRbracket", 3],
  ["[ ]", "SyntaxError: Invalid token: tRbracket", 2],
  ["(a b)", "SyntaxError: Expected tRparen, received: tUnquotedIdentifier", 3],
  ["(a, b)", "SyntaxError: Expected tRparen, received: tComma", 2],
  ["()", "SyntaxError: Invalid token: tRparen", 1],
  ["(a", "SyntaxError: Expected tRparen, received: tEOF", 2],
  ["{a}", "SyntaxError: Expected tColon, received: tRbrace", 2],
  ["{@: a}", "SyntaxError: Expected tQuotedIdentifier or tUnquotedIdentifier", 1],
  ["length(@", "SyntaxError: Incomplete expression", 8],
  ['"length"(@)', "SyntaxError: Can't have quoted identifier as function Name.", 8],
  ["@(a)", "invalid node value type", 1],
  ["a & b", "SyntaxError: Unexpected token at the end of the expression: tExpref", 2],
  ["a *", "SyntaxError: Unexpected token: tStar", 2],
  ["a = b", "SyntaxError: Unexpected token at the end of the expression: tUnknown", 2],
  ["a + b", "SyntaxError: Unknown char: '+'", 2],
  ["a # b", "SyntaxError: Unknown char: '#'", 2],
  ["é", "SyntaxError: Unknown char: '\\u00e9'", 0],
  ["a 😀", "SyntaxError: Unknown char: '\\U0001f600'", 2],
  ["a \u0007", "SyntaxError: Unknown char: '\\a'", 2],
  ["'a", "SyntaxError: Unclosed delimiter: '", 2],
  ['"a', 'SyntaxError: Unclosed delimiter: "', 2],
  ["`1", "SyntaxError: Unclosed delimiter: `", 2],
  ["`foo`", "invalid character 'o' in literal false (expecting 'a')", 0],
  ["`bad json`", "invalid character 'b' looking for beginning of value", 0],
  ["`[1,`", "unexpected end of JSON input", 0],
  ['"\\x"', "invalid character 'x' in string escape code", 0],
];

for (const [text, message, offset] of refused) {
  Deno.test(`${JSON.stringify(text)} is refused at ${offset}: ${message}`, () => {
    const fault = compileExpression(text);
    assert.ok(fault instanceof SyntaxFault, "not refused");
    assert.deepEqual([fault.message, fault.offset], [message, offset]);
  });
}

const accepted: readonly (readonly [text: string, result: Json])[] = [
  ["a\r\n.b", 1],
  ["@.a.b", 1],
  ["(@).a.b", 1],
  ["(@.a).b", 1],
  ["length(@.a)", 1],
  ["[@.a.b, (a.b)]", [1, 1]],
  // Kyverno does not require commas between arguments, nor between the members of an object.
  ["contains('abc' 'b')", true],
  ["contains('abc', 'b',)", true],
  ["{x: a.b y: a.b}", { x: 1, y: 1 }],
  ['"a"."b"', 1],
  ['"\\u0061".b', 1],
  ["'it\\'s'", "it's"],
  ["'a\\\\b'", "a\\\\b"],
  ["'\\'\\''", "''"],
  ['`"a\\`b"`', "a`b"],
  ['`{"a": [1, null]}`', { a: [1, null] }],
  ["` 1 `", 1],
  ["!!a", true],
  ["a.b == `1` && 'x' || 'y'", "x"],
  ["a.b == `2` || 'x' && 'y'", "y"],
  ["group", 'error: Unknown key "group" in path'],
  ["(group || 'd')", "d"],
  ["[[a.b][0], [`2`][0]]", [1, 2]],
  ["*.b", [1]],
  ["a.[b]", [1]],
  ["a.{c: b}", { c: 1 }],
];

for (const [text, result] of accepted) {
  Deno.test(`${JSON.stringify(text)} is ${JSON.stringify(result)}`, () => {
    assert.deepEqual(evaluate(text, { a: { b: 1 } }), result);
  });
}

Deno.test("any text compiles, or is refused at a position inside it", () => {
  const words = fc.constantFrom(
    ..."a b.c @ * . [ ] [] [? { } ( ) , : | || & && ! == != < <= = - 1 -2 'x' `1` `x` \"q\" length( é ' ` \\"
      .split(" "),
  );
  fc.assert(
    fc.property(fc.array(words, { maxLength: 12 }), fc.boolean(), (parts, spaced) => {
      const text = parts.join(spaced ? " " : "");
      const compiled = compileExpression(text);
      if (compiled instanceof SyntaxFault) {
        assert.ok(compiled.message !== "" && compiled.offset >= 0 && compiled.offset <= text.length, text);
      } else assert.equal(compiled.source, text);
    }),
    { numRuns: 2_000 },
  );
});

Deno.test("parsing never throws, for any text", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      compileExpression(text);
    }),
    { numRuns: 500 },
  );
});

Deno.test("any JSON value can be written as a literal", () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => {
    const literal = JSON.stringify(value).replaceAll("`", "\\`");
    const read = compileExpression(`\`${literal}\``);
    assert.ok(!isFault(read));
    assert.deepEqual(evaluate(`\`${literal}\``), JSON.parse(JSON.stringify(value)));
  }));
});

Deno.test("any text without a final backslash can be written as a raw string", () => {
  fc.assert(fc.property(fc.string().filter((text) => !/\\('|$)/.test(text)), (text) => {
    assert.equal(evaluate(`'${text.replaceAll("'", "\\'")}'`), text);
  }));
});
