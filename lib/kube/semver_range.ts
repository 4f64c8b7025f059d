import { Fault, isFault, quoted } from "../json/mod.ts";
import { compareSemver, parseSemver, type Semver } from "./semver.ts";

/** The most characters of a range, because a resource can contain ranges. */
const maxRange = 4096;

/** Whether a version is inside a range. */
export type SemverRange = (version: Semver) => boolean;

const comparisons: Readonly<Record<string, (order: -1 | 0 | 1) => boolean>> = {
  "": (order) => order === 0,
  "=": (order) => order === 0,
  "==": (order) => order === 0,
  "!": (order) => order !== 0,
  "!=": (order) => order !== 0,
  ">": (order) => order > 0,
  ">=": (order) => order >= 0,
  "<": (order) => order < 0,
  "<=": (order) => order <= 0,
};

interface WildcardPlan {
  readonly low?: string;
  readonly high?: string;
}

/**
 * The comparisons that replace a comparison with an `x` version: the operator before the version with zeros for the
 * `x`s (`low`), and the one before the next version (`high`).
 */
const wildcardComparisons: Readonly<Record<string, WildcardPlan>> = {
  "": { low: ">=", high: "<" },
  "=": { low: ">=", high: "<" },
  "==": { low: ">=", high: "<" },
  // Kyverno parity: both comparisons must hold, so this matches nothing; pinned by "a negated x-range matches nothing".
  "!": { low: "<", high: ">=" },
  "!=": { low: "<", high: ">=" },
  ">": { high: ">=" },
  ">=": { low: ">=" },
  "<": { low: "<" },
  "<=": { high: "<" },
};

/**
 * Compiles a version range as `github.com/blang/semver` v4 reads it: comparisons joined by spaces (and) and `||` (or).
 * `1.x` and `1.2.x` match all versions of that line. A pre-release is an ordinary version below its release.
 *
 * ```ts
 * import { compileSemverRange } from "./semver_range.ts";
 * import { parseSemver } from "./semver.ts";
 * import { isFault } from "../json/mod.ts";
 * import assert from "node:assert/strict";
 * const range = compileSemverRange(">=1.0.0 <2.0.0 || 3.x");
 * const version = parseSemver("3.4.5");
 * assert.ok(!isFault(range) && !isFault(version) && range(version));
 * ```
 */
export function compileSemverRange(text: string): SemverRange | Fault {
  if (text.length > maxRange) return new Fault(`a version range has more than ${maxRange} characters`);
  const words = splitWords(text);
  if (words[0] === "||") return new Fault("First element in range is '||'");
  if (words.length === 0 || words.at(-1) === "||") return new Fault("Last element in range is '||'");
  const expanded = words.flatMap(expandWildcard);
  for (const word of expanded) if (isFault(word)) return word;
  const alternatives: SemverRange[][] = [[]];
  for (const word of expanded) {
    if (isFault(word)) return word;
    if (word === "||") {
      // Kyverno's library accepts `a || || b` and crashes on it later.
      if (alternatives.at(-1)!.length === 0) return new Fault("Empty element in range between '||'");
      alternatives.push([]);
      continue;
    }
    const condition = compileComparison(word);
    if (isFault(condition)) return condition;
    alternatives.at(-1)!.push(condition);
  }
  return (version) => alternatives.some((conditions) => conditions.every((holds) => holds(version)));
}

/**
 * Splits a range into words at spaces; spaces after an operator belong to its word.
 * Kyverno parity: Kyverno drops words of one character; pinned by "a range drops words of one character".
 */
function splitWords(text: string): string[] {
  const words: string[] = [];
  let word = "";
  let last = "";
  for (const character of text) {
    if (character === " ") {
      if (last === ">" || last === "<" || last === "=") word += " ";
      else [word] = ["", words.push(word)];
    } else word += last = character;
  }
  words.push(word);
  return words.filter((each) => byteLengthAbove1(each)).map((each) => each.replaceAll(" ", ""));
}

function byteLengthAbove1(word: string): boolean {
  return word.length > 1 || word > "\u007f";
}

interface Comparison {
  readonly operator: string;
  readonly version: string;
}

function splitComparison(word: string): Comparison | Fault {
  const digit = word.search(/\p{Nd}/u);
  if (digit < 0) return new Fault(`Could not get version from string: ${quoted(word)}`);
  return { operator: word.slice(0, digit).trim(), version: word.slice(digit) };
}

/** Replaces a comparison with an `x` by one or two comparisons without; other comparisons stay unchanged. */
function expandWildcard(word: string): (string | Fault)[] {
  if (!word.includes("x")) return [word];
  const comparison = splitComparison(word);
  if (isFault(comparison)) return [comparison];
  const { operator, version } = comparison;
  const floor = floorOf(version);
  const plan: WildcardPlan = Object.hasOwn(wildcardComparisons, operator)
    ? wildcardComparisons[operator]!
    : { low: "" };
  const low = plan.low === undefined ? [] : [plan.low + floor];
  return plan.high === undefined ? low : [...low, plan.high + ceilingOf(version, floor)];
}

/** The lowest version of a line: `1.0.0` for `1.x` and `1.x.x`, `1.2.0` for `1.2.x`. */
function floorOf(version: string): string {
  const zeroed = version.replace(".x.x", ".x").replace(".x", ".0");
  return zeroed.split(".").length === 2 ? `${zeroed}.0` : zeroed;
}

/**
 * The first version after a line, by the number of parts in the text. It is empty, and therefore an error, if the text
 * is no line. Kyverno parity: `1.x.x` therefore ends at `1.1.0`; pinned by "1.x.x is 1.0.x".
 */
function ceilingOf(version: string, floor: string): string {
  const written = version.split(".");
  if (written.at(-1) !== "x") return "";
  const parts = floor.split(".");
  const raised = written.length === 3 ? 1 : written.length === 2 ? 0 : undefined;
  if (raised === undefined || !/^[0-9]{1,18}$/.test(parts[raised]!)) return "";
  parts[raised] = String(BigInt(parts[raised]!) + 1n);
  return parts.join(".");
}

function compileComparison(word: string): SemverRange | Fault {
  const comparison = splitComparison(word);
  if (isFault(comparison)) return comparison;
  const { operator, version } = comparison;
  const wrong = `Could not parse Range ${quoted(word)}: Could not parse`;
  if (!Object.hasOwn(comparisons, operator)) {
    return new Fault(`${wrong} comparator ${quoted(operator)} in ${quoted(word)}`);
  }
  const bound = parseSemver(version);
  if (isFault(bound)) {
    return new Fault(
      `${wrong} version ${quoted(version)} in ${quoted(word)}: ${bound.message}`,
    );
  }
  const accepts = comparisons[operator]!;
  return (candidate) => accepts(compareSemver(candidate, bound));
}
