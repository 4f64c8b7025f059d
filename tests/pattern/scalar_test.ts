import assert from "node:assert/strict";
import fc from "fast-check";
import type { Json } from "../../lib/json/mod.ts";
import { compileScalar } from "../../lib/pattern/mod.ts";

type Values = readonly (Json | undefined)[];

/** A pattern, values it accepts, and values it rejects. */
const cases: readonly (readonly [pattern: Json, accepts: Values, rejects: Values])[] = [
  // Booleans and null.
  [true, [true], ["true", false, 1, undefined]],
  [null, [undefined, null, "", 0, false], ["a", 1, true, {}, []]],

  // Numbers.
  [5, [5, "5", "+5", "005"], ["5.0", "5 ", "five", 5.5, true, null, undefined]],
  [0, [0, "0", "-0"], [undefined, null, "", false]],
  [-3, [-3, "-3", "-03"], ["3", 3]],
  [1.5, [1.5, "1.5", "15e-1", "+1.50"], [1, "1", "1,5", "x", undefined]],
  [1e21, [1e21, "1e21"], [1e20, "1"]],

  // Words and wildcards.
  ["nginx", ["nginx"], ["nginx:1", "Nginx", "", undefined, null, {}, []]],
  ["nginx:?.*", ["nginx:1.2"], ["nginx:latest", "nginx:."]],
  ["*:latest", ["a/b:latest", ":latest"], ["latest", "a:latest-1"]],
  ["?*", ["a", 0, 1.5, true, " "], ["", undefined, null, {}, []]],
  ["*", ["", "a", 0, false], [undefined, null, {}, []]],
  ["", [""], ["a", undefined, 0]],
  ["true", [true, "true"], [false, "True", 1]],
  ["!nginx", ["busybox", "", 5, true], ["nginx", undefined, null, {}, []]],
  ["!*", [], ["a", "", 5, undefined]],
  ["!", ["!"], ["a", ""]],
  ["1.5E+00", [1.5, "1.5E+00"], ["1,5", 2.5]],
  ["*E-07", [1e-7], [1e-6]],

  // Quantities.
  ["1Gi", ["1Gi", "1024Mi", 1073741824], ["1G", undefined]],
  ["<=500m", ["0.5", "500m", 0.5, 0, undefined, null], [1, "1", "abc", true, {}]],
  [">5", [6, 5.000001, "6k"], [5, "5", undefined, "abc", true]],
  ["!5", [6, "6", undefined, null, "abc", true], [5, "5", "5.0", {}, []]],
  ["5", [5, "5", "5.0", "5000m"], ["6", undefined, true]],
  ["0", [0, "0", "0.0", undefined, null], [1, ""]],
  ["7812u", [0.0078125], []],
  ["<1e22", [1e21], [1e23]],

  // Durations come before quantities; a number other than 0 is none.
  ["5m", ["5m", "300s", "4m60s"], ["5s", 5, undefined]],
  ["<1h", ["59m", "0", 0, undefined], ["60m", "2h", 1]],
  ["100m", ["0.1", "100m", "6000s"], ["101m"]],

  // Ranges.
  ["1-10", [1, 5, "10", "10.0"], [0, 11, undefined, "a", true]],
  ["1!-10", [0, 11, undefined], [1, 10, "5", "a"]],
  ["-5--1", [-5, "-1", -3], [0, -6, undefined]],
  ["128Mi-1Gi", ["512Mi", "1024Mi"], ["1.5Gi", "64Mi"]],
  ["1m-1h", ["30m", "60m"], ["59s", "61m"]],

  // Or and and.
  ["a | b*", ["a", "bc", "a | b*"], ["c", "ab"]],
  [">=1 & <=3", [1, 2, 3], [0, 4]],
  [">10 | >=1 & <=3", [2, 11], [5]],
  ["!a & !b", ["c"], ["a", "b"]],
  ["a|", ["a", ""], ["b", undefined]],
  ["a & b", ["a & b"], ["a", "b"]],

  // Other patterns.
  [{ any: "thing" }, [{}, { a: 1 }], [[], "a", null, undefined]],
  [[], [], [[], "a", undefined]],
];
for (const [pattern, accepts, rejects] of cases) {
  Deno.test(`the scalar pattern ${JSON.stringify(pattern)} matches some values and not others`, () => {
    const test = compileScalar(pattern);
    const show = (values: Values) => values.map((value) => JSON.stringify(value));
    assert.deepEqual(show(accepts.filter((value) => !test(value))), []);
    assert.deepEqual(show(rejects.filter((value) => test(value))), []);
  });
}

Deno.test('the pattern "<5" accepts a missing field, which counts as 0', () => {
  assert.equal(compileScalar("<5")(undefined), true);
  assert.equal(compileScalar(">5")(undefined), false);
});

Deno.test("a text always matches itself, for any characters", () => {
  fc.assert(fc.property(fc.string(), (text) => compileScalar(text)(text)));
});

Deno.test("six comparisons agree with arithmetic on integers", () => {
  const number = fc.integer();
  fc.assert(fc.property(number, number, (value, bound) => {
    for (const given of [value, String(value)]) {
      assert.equal(compileScalar(`>${bound}`)(given), value > bound);
      assert.equal(compileScalar(`>=${bound}`)(given), value >= bound);
      assert.equal(compileScalar(`<${bound}`)(given), value < bound);
      assert.equal(compileScalar(`<=${bound}`)(given), value <= bound);
      assert.equal(compileScalar(`${bound}`)(given), value === bound);
      assert.equal(compileScalar(`!${bound}`)(given), value !== bound);
    }
  }));
});
