/** The size of a pattern's program, which is estimated before the pattern is compiled. */
import assert from "node:assert/strict";
import { RE2JS } from "re2js";
import { programSize } from "../../lib/json/mod.ts";

const pieces = [
  ..."ab(()))||*+?.^$[]-]{,3}\\",
  "(?:",
  "(?i)",
  "(?P<n>",
  "a{3}",
  "{2}",
  "{0,4}",
  "{2,}",
  "{x}",
  "\\d",
  "\\pL",
  "\\P{Greek}",
  "\\x{41}",
  "\\Q(a[\\E",
  "[(]",
  "[[:alpha:]]",
  "[^]a)]",
  "[a\\]{3}(]",
  "[[:]",
];

/** The same numbers each time. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor(state / 2_147_483_648 * below);
  };
}

Deno.test("no pattern has a larger program than is estimated", () => {
  const next = numbers(7);
  let compiled = 0;
  for (let tried = 0; tried < 30_000; tried++) {
    const pattern = Array.from({ length: 1 + next(9) }, () => pieces[next(pieces.length)]!).join("");
    let size: number;
    try {
      size = RE2JS.compile(pattern).programSize();
    } catch {
      continue;
    }
    compiled++;
    assert.ok(size <= programSize(pattern), `${pattern} has ${size}, estimated ${programSize(pattern)}`);
  }
  assert.ok(compiled > 3_000, String(compiled));
});

const costly: readonly (readonly [what: string, pattern: string, least: number])[] = [
  ["repetitions", `(${"ab".repeat(90)}){1000}`, 180_000],
  ["repetitions of repetitions", "((a{10}){10}){10}", 1_000],
  ["repetitions after a set with a parenthesis", "(abcdefgh[(]x){1000}", 10_000],
  ["repetitions after a quotation with a parenthesis", "(abcdefgh\\Q(\\Ex){1000}", 10_000],
  ["classes", "\\pL".repeat(100), 10_000],
  ["classes in a set", `[${"\\pL".repeat(100)}]`, 10_000],
  ["ranges regardless of case", `(?i)${"[b-\\x{1e900}]".repeat(70)}`, 100_000],
  ["names of sets that do not end", `[${"[:".repeat(20_000)}`, 40_000],
  ["brackets that do not end", "\\pa{".repeat(10_000), 40_000],
  ["long texts", "a".repeat(1_100_000), Infinity],
];

for (const [what, pattern, least] of costly) {
  Deno.test(`${what} count as many instructions`, () => assert.ok(programSize(pattern) >= least));
}

Deno.test("usual patterns are small", () => {
  assert.ok(
    programSize("^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)*$") < 1_000,
  );
  assert.ok(programSize("^(docker\\.io|ghcr\\.io)/.+@sha256:[a-f0-9]{64}$") < 200);
});
