import assert from "node:assert/strict";
import fc from "fast-check";
import { compileWildcard, hasWildcard, matchWildcard } from "../../lib/kube/mod.ts";
import { quickly } from "../support/processor_time.ts";

const cases: [pattern: string, text: string, match: boolean][] = [
  ["", "", true],
  ["", "a", false],
  ["*", "", true],
  ["*", "a\nb", true],
  ["?*", "", false],
  ["?*", "é", true],
  ["*?", "x", true],
  ["a", "a", true],
  ["a?", "a?", true],
  ["nginx:*", "nginx:1", true],
  ["nginx:*", "nginx", false],
  ["*:latest", "a/b:latest", true],
  ["*-db-*", "my-db-0", true],
  ["*-db-*", "-db-", true],
  ["*-db-*", "-db", false],
  ["ab*ba", "aba", false],
  ["ab*ba", "abba", true],
  ["a*b*c", "a-b-b-c", true],
  ["a*b*b", "a-b", false],
  ["a*b*b", "a-bb", true],
  ["?", "𝄞", true],
  ["??", "𝄞", false],
  ["*?a", "𝄞a", true],
  ["[a-z]*", "b", false],
  ["a.c", "abc", false],
  ["\\*", "*", false],
  ["?b*b?", "abxba", true],
];
for (const [pattern, text, match] of cases) {
  Deno.test(`wildcard ${JSON.stringify(pattern)} ${match ? "matches" : "refuses"} ${JSON.stringify(text)}`, () => {
    assert.equal(compileWildcard(pattern)(text), match);
    assert.equal(matchWildcard(pattern, text), match);
  });
}

Deno.test("hasWildcard() sees stars and question marks only", () => {
  assert.deepEqual(["a", "a*", "?", "[a]"].map(hasWildcard), [false, true, true, false]);
});

/** The definition, as plain recursion. */
function matches(pattern: readonly string[], text: readonly string[]): boolean {
  if (pattern.length === 0) return text.length === 0;
  if (pattern[0] === "*") {
    return matches(pattern.slice(1), text) || text.length > 0 && matches(pattern, text.slice(1));
  }
  return text.length > 0 && (pattern[0] === "?" || pattern[0] === text[0]) &&
    matches(pattern.slice(1), text.slice(1));
}

Deno.test("every specialised matcher agrees with the general one", () => {
  const pattern = fc.oneof(
    fc.array(fc.constantFrom("*", "?", "a", "b", "é", "𝄞"), { maxLength: 8 }),
    // Runs of several words.
    fc.array(fc.constantFrom("?", "a"), { minLength: 30, maxLength: 70 }).map((
      run,
    ) => ["*", ...run, "*", "?"]),
  );
  const text = fc.oneof(
    fc.array(fc.constantFrom("a", "b", "é", "𝄞"), { maxLength: 8 }),
    fc.array(fc.constantFrom("a", "a", "a", "a", "a", "a", "b"), { minLength: 30, maxLength: 100 }),
  );
  fc.assert(
    fc.property(pattern, text, (pattern, text) => {
      assert.equal(compileWildcard(pattern.join(""))(text.join("")), matches(pattern, text));
    }),
    { numRuns: 3000 },
  );
});

Deno.test("a pattern of many stars matches in polynomial time", () => {
  const text = "a".repeat(20_000);
  assert.equal(compileWildcard("*a".repeat(30) + "b")(text), false);
  assert.equal(compileWildcard("*a?".repeat(20) + "b")(text.slice(0, 5000)), false);
});

/** The runtime's search takes minutes for such texts; the test would, too. */
Deno.test("long patterns of few different characters are compared in linear time", () => {
  const distinct = Array.from({ length: 20_000 }, (_, index) => String.fromCodePoint(0x4e00 + index)).join(
    "",
  );
  const half = "a".repeat(200_000), text = "a".repeat(2_000_000);
  const patterns: [pattern: string, text: string, match: boolean][] = [
    [`*${half}c${half}*`, text, false],
    [`*${half}c${half}*`, `${text}c${text}`, true],
    [`x*${half}c*${half}*`, `x${text}c${text}`, true],
    [`*b${half}*a`, text, false],
    [`*${"a*".repeat(100_000)}b`, text, false],
    [`*${"a".repeat(30)}?b*`, text, false],
    [`${"a?".repeat(100_000)}*${"?a".repeat(15)}b*`, text, false],
    [`*${"a".repeat(2_000)}?b*?`, text.slice(0, 500_000), false],
    [`*?${"a".repeat(2_000)}b*?`, `${text.slice(0, 500_000)}bc`, true],
    // As many bits for each character take gigabytes.
    [`*${distinct}?*`, distinct.repeat(2), true],
    [`*${distinct}?b*`, distinct.repeat(2), false],
  ];
  for (const [pattern, text, match] of patterns) assert.equal(compileWildcard(pattern)(text), match);
});

/** The definition for long patterns: which prefixes of the text each prefix of the pattern matches. */
function matchesLong(pattern: string, text: string): boolean {
  const characters = [...text];
  let reached = [true, ...characters.map(() => false)];
  for (const wanted of pattern) {
    let any = false;
    reached = reached.map((isReached, end) => {
      any ||= isReached;
      if (wanted === "*") return any;
      return end > 0 && reached[end - 1]! && (wanted === "?" || wanted === characters[end - 1]);
    });
  }
  return reached.at(-1)!;
}

Deno.test("patterns of more than a thousand characters match as short ones do", () => {
  const piece = fc.constantFrom(
    "*",
    "**",
    "?",
    "a",
    "b",
    "aaa?",
    "é",
    "𝄞",
    "a".repeat(40),
    `?${"b".repeat(40)}`,
  );
  const filling = fc.constantFrom("", "", "", "a", "ab", "𝄞");
  const pieces = fc.array(fc.tuple(piece, filling), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(pieces, fc.constantFrom("", "b", "?", "*"), (pieces, end) => {
      const pattern: string[] = [], text: string[] = [];
      while (pattern.join("").length <= 1_000) {
        for (const [piece, filling] of pieces) {
          pattern.push(piece);
          text.push(piece.replaceAll("*", filling).replaceAll("?", "𝄞"));
        }
      }
      const long = pattern.join("") + end, texts = [text.join(""), text.join("") + "b"];
      for (const each of texts) assert.equal(compileWildcard(long)(each), matchesLong(long, each));
    }),
    { numRuns: 20 },
  );
});

/** Making the runs of such patterns took up to four seconds and 270 MB. */
Deno.test("a pattern of a request with a million stars or characters is compared without making its runs", () => {
  const patterns: readonly (readonly [pattern: string, text: string, match: boolean])[] = [
    ["*a?".repeat(480_000), "ab".repeat(720_000), true],
    ["*?".repeat(720_000), "a".repeat(1_440_000), true],
    ["*é?".repeat(360_000), "éé".repeat(360_000), true],
    ["*?".repeat(720_000), "a", false],
    ["?".repeat(2_900_000), "a", false],
    ["*".repeat(2_900_000), "a", true],
  ];
  quickly(1_000, () => {
    for (const [pattern, text, match] of patterns) assert.equal(compileWildcard(pattern)(text), match);
  });
});
