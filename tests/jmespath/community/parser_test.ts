import assert from "node:assert/strict";
import { array, assert as property, constantFrom, property as forAll, string } from "fast-check";
import { isFault } from "../../../lib/json/mod.ts";
import {
  Bindings,
  communityCompiler,
  communityFunctions,
  kyvernoFunctions,
} from "../../../lib/jmespath/mod.ts";

const compile = communityCompiler(communityFunctions(kyvernoFunctions()));
const environment = { now: () => 0, random: () => 0 };

const pieces = constantFrom(
  ..."a b . [ ] [] [? * ( ) { } : , | || && ! == < + - / // % @ $ $x & `1` 'x' let in = length join".split(
    " ",
  ),
);

Deno.test("compile() answers any text with an expression or a fault", () => {
  property(forAll(string({ unit: "binary" }), (text) => {
    compile(text);
  }));
});

Deno.test("every compiled expression evaluates to a value or a fault", () => {
  property(
    forAll(array(pieces, { maxLength: 12 }), (parts) => {
      const expression = compile(parts.join(" "));
      if (isFault(expression)) return;
      const value = { a: [{ b: 1 }, { b: "x" }], b: { a: null } };
      const result = expression(value, { bindings: Bindings.none, environment });
      assert.notEqual(result, undefined);
    }),
    { numRuns: 2000 },
  );
});
