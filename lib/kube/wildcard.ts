import { type StepBudget, stepsOfText, TextSearch } from "../json/mod.ts";
import { compileLongWildcard } from "./long_wildcard.ts";
import { mostWordsOf, WildcardRun } from "./wildcard_run.ts";

/** The characters of a pattern whose runs are made once: names, labels and images are shorter. */
const mostCompiled = 1_000;

/** Whether a text is a wildcard pattern, which contains a `*` or a `?`. */
export function hasWildcard(text: string): boolean {
  return text.includes("*") || text.includes("?");
}

/**
 * Compiles a wildcard pattern into a predicate over whole texts: `*` matches any run of characters, `?` exactly one
 * character; there is no escape. Matching takes at most {@link wildcardSteps} steps for each character of the text.
 *
 * ```ts
 * import { compileWildcard } from "./wildcard.ts";
 * import assert from "node:assert/strict";
 * const isLatest = compileWildcard("*:latest");
 * assert.equal(isLatest("ghcr.io/org/app:latest"), true);
 * assert.equal(isLatest("app:latest-1"), false);
 * ```
 */
export function compileWildcard(pattern: string): (text: string) => boolean {
  if (pattern.length > mostCompiled && hasWildcard(pattern)) return compileLongWildcard(pattern);
  if (pattern === "?*" || pattern === "*?") return (text) => text !== "";
  if (pattern.includes("?")) return characterMatcher(pattern);
  if (!pattern.includes("*")) return (text) => text === pattern;
  const runs = pattern.split("*");
  const prefix = runs[0]!, suffix = runs.at(-1)!;
  const middle = runs.slice(1, -1).filter((run) => run !== "").map((run) => new TextSearch(run));
  if (middle.length === 0) return edgesMatcher(prefix, suffix);
  if (middle.length === 1 && prefix === "" && suffix === "") {
    const infix = middle[0]!;
    return (text) => infix.positionIn(text) >= 0;
  }
  return runsMatcher(prefix, middle, suffix);
}

/**
 * The most steps that a match of the pattern takes for each character of a text. It is more than one only for a pattern
 * with `?` that has more than 32 characters between two stars.
 */
export function wildcardSteps(pattern: string): number {
  return pattern.includes("?") ? mostWordsOf(pattern) : 1;
}

/** Tests whether a text matches one of several patterns. When the steps are used up, no text matches. */
export type AnyWildcard = (text: string, steps?: StepBudget) => boolean;

/** The steps of comparing 32 characters with a pattern: its search looks at each of them. */
const stepsOfSearch = 4;

/**
 * Compiles patterns into one predicate. A text may come from a request, where even a name has the size of the request,
 * so each pattern takes steps for each 32 characters.
 */
export function compileWildcards(patterns: readonly string[]): AnyWildcard {
  const tests = patterns.map(compileWildcard);
  const cost = patterns.reduce(
    (sum, pattern) => sum + (hasWildcard(pattern) ? stepsOfSearch * wildcardSteps(pattern) : 1),
    0,
  );
  return (text, steps) => {
    if (steps !== undefined && (steps.left < 0 || (steps.left -= cost * stepsOfText(text)) < 0)) return false;
    return tests.some((matches) => matches(text));
  };
}

/** Whether the text matches the pattern. Use it for patterns that come with a request, and compile others at load. */
export function matchWildcard(pattern: string, text: string): boolean {
  return pattern === text && !pattern.includes("?") || compileWildcard(pattern)(text);
}

function edgesMatcher(prefix: string, suffix: string): (text: string) => boolean {
  if (prefix === "" && suffix === "") return () => true;
  if (suffix === "") return (text) => text.startsWith(prefix);
  if (prefix === "") return (text) => text.endsWith(suffix);
  const least = prefix.length + suffix.length;
  return (text) => text.length >= least && text.startsWith(prefix) && text.endsWith(suffix);
}

/** For patterns with several stars. It is enough to search the leftmost position of each run in turn. */
function runsMatcher(
  prefix: string,
  middle: readonly TextSearch[],
  suffix: string,
): (text: string) => boolean {
  return (text) => {
    if (!text.startsWith(prefix)) return false;
    let at = prefix.length;
    for (const run of middle) {
      const found = run.positionIn(text, at);
      if (found < 0) return false;
      at = found + run.text.length;
    }
    return text.length - suffix.length >= at && text.endsWith(suffix);
  };
}

/** For patterns with `?`. It works like `runsMatcher`, but compares whole Unicode characters. */
function characterMatcher(pattern: string): (text: string) => boolean {
  const runs = pattern.split("*");
  const prefix = new WildcardRun(runs[0]!), suffix = new WildcardRun(runs.at(-1)!);
  if (runs.length === 1) return (text) => prefix.endAt(text, 0) === text.length;
  const middle = runs.slice(1, -1).filter((run) => run !== "").map((run) => new WildcardRun(run));
  return (text) => {
    let at = prefix.endAt(text, 0);
    if (at < 0) return false;
    const end = suffix.startBefore(text, text.length);
    if (end < at || suffix.endAt(text, end) < 0) return false;
    for (const run of middle) {
      at = run.endAfter(text, at);
      if (at < 0 || at > end) return false;
    }
    return true;
  };
}
