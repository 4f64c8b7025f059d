import { TextSearch } from "../json/mod.ts";

/** Whether a text is a wildcard pattern: has a `*` or a `?`. */
export function hasWildcard(text: string): boolean {
  return text.includes("*") || text.includes("?");
}

/**
 * Turns a wildcard pattern into a predicate over whole texts: `*` stands for any run of characters, `?` for exactly one
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

/** The most steps that matching a pattern takes for each character of a text: more than one only with `?`. */
export function wildcardSteps(pattern: string): number {
  if (!pattern.includes("?")) return 1;
  return pattern.split("*").reduce((longest, { length }) => Math.max(longest, length), 1);
}

/** Whether the text matches the pattern; for patterns that are only known at the request. */
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

/** Several stars: the leftmost place of each run in turn is enough. */
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

const star = 0x2a, anyCharacter = 0x3f;

/** Any pattern with `?`, character by character; on a mismatch the latest star takes one character more. */
function characterMatcher(pattern: string): (text: string) => boolean {
  const wanted = Array.from(pattern, (character) => character.codePointAt(0)!);
  return (text) => {
    let next = 0, at = 0;
    let afterStar = -1, starAt = 0;
    while (at < text.length) {
      const found = text.codePointAt(at)!;
      if (next < wanted.length && wanted[next] === star) {
        afterStar = ++next;
        starAt = at;
      } else if (next < wanted.length && (wanted[next] === anyCharacter || wanted[next] === found)) {
        next++;
        at += width(found);
      } else if (afterStar >= 0) {
        next = afterStar;
        starAt += width(text.codePointAt(starAt)!);
        at = starAt;
      } else return false;
    }
    while (wanted[next] === star) next++;
    return next === wanted.length;
  };
}

function width(codePoint: number): 1 | 2 {
  return codePoint > 0xffff ? 2 : 1;
}
