import assert from "node:assert/strict";
import fc from "fast-check";
import {
  durationOfSeconds,
  durationProblem,
  durationSeconds,
  formatDuration,
  parseDuration,
} from "../../lib/kube/mod.ts";

const read: [text: string, nanoseconds: bigint, printed: string][] = [
  ["0", 0n, "0s"],
  ["-0", 0n, "0s"],
  ["5s", 5_000_000_000n, "5s"],
  ["1h30m", 5_400_000_000_000n, "1h30m0s"],
  ["1.5h", 5_400_000_000_000n, "1h30m0s"],
  [".5ms", 500_000n, "500µs"],
  ["1.s", 1_000_000_000n, "1s"],
  ["-1.5s", -1_500_000_000n, "-1.5s"],
  ["1us2\u00b5s3\u03bcs", 6_000n, "6µs"],
  ["+7ns", 7n, "7ns"],
  ["1m1h1m", 3_720_000_000_000n, "1h2m0s"],
  ["9223372036854775807ns", 2n ** 63n - 1n, "2562047h47m16.854775807s"],
  ["-9223372036854775808ns", -(2n ** 63n), "-2562047h47m16.854775808s"],
  ["0.100000000000000000000h", 360_000_000_000n, "6m0s"],
];
for (const [text, nanoseconds, printed] of read) {
  Deno.test(`duration ${text} is ${nanoseconds} ns and prints as ${printed}`, () => {
    assert.equal(parseDuration(text), nanoseconds);
    assert.equal(formatDuration(nanoseconds), printed);
    assert.equal(durationProblem(text), undefined);
  });
}

const refused: [text: string, problem: string][] = [
  ["", 'time: invalid duration ""'],
  ["-", 'time: invalid duration "-"'],
  ["5", 'time: missing unit in duration "5"'],
  ["5d", 'time: unknown unit "d" in duration "5d"'],
  [".s", 'time: invalid duration ".s"'],
  ["1 s", 'time: unknown unit " s" in duration "1 s"'],
  ["s", 'time: invalid duration "s"'],
  ["9223372036854775808ns", 'time: invalid duration "9223372036854775808ns"'],
  ["2562048h", 'time: invalid duration "2562048h"'],
  ["µs", 'time: invalid duration "\\xc2\\xb5s"'],
  ['1"é', 'time: unknown unit "\\"\\xc3\\xa9" in duration "1\\"\\xc3\\xa9"'],
  ["1m-1s", 'time: unknown unit "m-" in duration "1m-1s"'],
];
for (const [text, problem] of refused) {
  Deno.test(`${JSON.stringify(text)} is no duration`, () => {
    assert.equal(parseDuration(text), undefined);
    assert.equal(durationProblem(text), problem);
  });
}

Deno.test("seconds are doubles, and are truncated", () => {
  assert.equal(durationSeconds(1_500_000_000n), 1.5);
  assert.equal(durationOfSeconds(1.5), 1_500_000_000n);
  assert.equal(durationOfSeconds(-0.9999999999), -999_999_999n);
  assert.equal(durationOfSeconds(1e300), -(2n ** 63n));
  assert.equal(durationOfSeconds(NaN), -(2n ** 63n));
});

Deno.test("a printed duration reads as the same time", () => {
  fc.assert(fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (nanoseconds) => {
    // A fraction of seconds goes through a double, which holds nine digits exactly.
    assert.equal(parseDuration(formatDuration(nanoseconds)), nanoseconds);
  }));
});

Deno.test("a text is either a duration or has a problem", () => {
  fc.assert(fc.property(fc.stringMatching(/^[-+0-9.smhnuµ]{0,20}$/), (text) => {
    assert.equal(parseDuration(text) === undefined, durationProblem(text) !== undefined);
  }));
});
