/** The compiler reports every mistake in an expression, with its position. */
import assert from "node:assert/strict";
import fc from "fast-check";
import {
  admissionRequestType,
  createEnvironment,
  dynType,
  formatCelError,
  isCelFault,
  kubernetesLibraries,
} from "../../lib/cel/mod.ts";

const environment = createEnvironment({
  variables: { object: dynType, request: admissionRequestType },
  libraries: kubernetesLibraries,
  literals: "homogeneous",
});

const reports: readonly (readonly [
  text: string,
  errors: readonly (readonly [line: number, column: number, message: RegExp])[],
])[] = [
  ["1 +", [[1, 4, /mismatched input '<EOF>'/]]],
  ["a + b", [[1, 1, /^undeclared reference to 'a'/], [1, 5, /^undeclared reference to 'b'/]]],
  ["[1, +] + [2, *]", [[1, 5, /mismatched input '\+'/], [1, 14, /mismatched input '\*'/]]],
  ["object.spec.all(1, true)\n  && nope", [[1, 17, /^argument must be a simple name$/]]],
  ["true &&\n  nope", [[2, 3, /^undeclared reference to 'nope'/]]],
  ["has(object)", [[1, 5, /^invalid argument to has\(\) macro$/]]],
  ["1 + 'a'", [[1, 3, /^found no matching overload for '_\+_' applied to '\(int, string\)'$/]]],
  ["'a'.nope()", [[1, 9, /^undeclared reference to 'nope'/]]],
  ["request.nope", [[1, 8, /^undefined field 'nope'$/]]],
  ["quantity('1').x", [[1, 14, /^unexpected failed resolution of 'kubernetes.Quantity'$/]]],
  ["'a'.b", [[1, 4, /^type 'string' does not support field selection$/]]],
  ["1.all(x, true)", [[1, 1, /^expression of type 'int' cannot be range of a comprehension/]]],
  ["1 && true", [[1, 1, /^expected type 'bool' but found 'int'$/]]],
  ["[1, 'a']", [[1, 5, /^expected type 'int' but found 'string'$/]]],
  ["{'a': 1, 'b': true}", [[1, 15, /^expected type 'int' but found 'bool'$/]]],
  ["'%d'.format(['a'])", [[1, 14, /^error during formatting: decimal clause/]]],
  ["'é' + nope", [[1, 7, /^undeclared reference to 'nope'/]]],
  ["'\\q'", [[1, 1, /^invalid escape sequence/]]],
  ["'abc", [[1, 1, /token recognition error/], [1, 5, /mismatched input/]]],
  ["99999999999999999999", [[1, 1, /^invalid int literal$/]]],
  ["while", [[1, 1, /^reserved identifier: while$/]]],
  ["{'a'}", [[1, 5, /mismatched input '}' expecting ':'/]]],
];

for (const [text, expected] of reports) {
  Deno.test(`${JSON.stringify(text)} is refused with ${expected.length} error(s) at their positions`, () => {
    const compiled = environment.compile(text);
    assert(!compiled.ok);
    const found = compiled.errors.map(({ line, column, message }) => `${line}:${column} ${message}`);
    assert.equal(found.length, expected.length, found.join("\n"));
    for (const [index, [line, column, message]] of expected.entries()) {
      assert.equal(`${compiled.errors[index]!.line}:${compiled.errors[index]!.column}`, `${line}:${column}`);
      assert.match(compiled.errors[index]!.message, message);
    }
  });
}

Deno.test("an error prints its line with a caret below the position", () => {
  const compiled = environment.compile("true &&\n  nope");
  assert(!compiled.ok);
  assert.equal(
    formatCelError(compiled.errors[0]!),
    "ERROR: <input>:2:3: undeclared reference to 'nope' (in container '')\n |   nope\n | ..^",
  );
});

Deno.test("the first hundred errors of an expression are reported, each at its position", () => {
  const compiled = environment.compile(Array.from({ length: 9_000 }, () => "é\n||b").join("||"));
  assert(!compiled.ok);
  assert.equal(compiled.errors.length, 30, "of syntax");
  const names = environment.compile(
    Array.from({ length: 9_000 }, (_, index) => index % 2 === 0 ? "a" : "\n b").join("||"),
  );
  assert(!names.ok);
  assert.deepEqual(
    names.errors.map(({ line, column }) => [line, column]),
    Array.from(
      { length: 100 },
      (_, index) => index === 0 ? [1, 1] : index % 2 === 0 ? [index / 2 + 1, 5] : [(index + 1) / 2 + 1, 2],
    ),
  );
});

Deno.test("types that one call does not fit leave the types of others alone", () => {
  // The overload for lists binds a type variable before it meets the second argument.
  assert.equal(environment.compile("[1].map(x, x) == [2] && !(1 in ['a'])").ok, false);
  assert.equal(environment.compile("[object.a].map(x, x) == [2] && 1 in [object.b]").ok, true);
});

Deno.test("compiling refuses expressions that are too long or nested too deeply", () => {
  for (
    const text of [
      "(".repeat(100_000),
      `${"[".repeat(300)}${"]".repeat(300)}`,
      "1 + ".repeat(5000) + "1",
      "-".repeat(99_999) + "object",
    ]
  ) {
    const compiled = environment.compile(text);
    if (compiled.ok) compiled.program.evaluate(() => 1);
    else assert(compiled.errors.length > 0);
  }
  assert.equal(environment.compile("!".repeat(99_990) + "true").ok, true);
  assert.equal(environment.compile(" ".repeat(100_001)).ok, false);
});

const piece = fc.constantFrom(
  ..."object request . ? [ ] ( ) { } , : && || ! - + * / % == < in has all map x 1 2.5 'a' b'c' 3u null true cel r\"\" ` // \n"
    .split(" "),
);

Deno.test("any text is either compiled or refused with errors that lie inside it, and evaluation never throws", () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 25 }), (pieces) => {
      const text = pieces.join(" ");
      const compiled = environment.compile(text);
      if (compiled.ok) {
        const value = compiled.program.evaluate(() => ({ a: [1, "x", null] }));
        assert(isCelFault(value) || value !== undefined);
        return;
      }
      assert(compiled.errors.length > 0);
      for (const { offset, line, column } of compiled.errors) {
        assert(offset >= 0 && offset <= text.length && line >= 1 && column >= 1);
      }
    }),
    { numRuns: 2000 },
  );
});

Deno.test("any text of any characters is read without an exception", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 60 }), (text) => {
      environment.compile(text);
    }),
    { numRuns: 1000 },
  );
});
