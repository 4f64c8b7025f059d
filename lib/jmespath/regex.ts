import { RE2JS } from "re2js";
import { CountedText, Fault, programSize, type StepBudget } from "../json/mod.ts";
import { maxText } from "./go_strings.ts";
import { spend } from "./steps.ts";

/** A compiled regular expression in RE2's syntax, whose time is linear in the text's length. */
export interface Regex {
  /** Whether it matches anywhere in the text. */
  test(text: string): boolean | Fault;
  /**
   * The text with every match replaced, as Go's `ReplaceAll` does it; an empty match right after another is none.
   * `undefined` when the result would be too large. Each match takes steps, with those of its replacement.
   */
  replaceAll(text: string, replacement: Replacement, budget: StepBudget): string | Fault | undefined;
}

/** The text that replaces a match, in parts: fixed texts and groups. */
export interface Replacement {
  readonly parts: number;
  /** The whole text, from its groups by number and name; absent groups are empty. */
  readonly expand: (group: (name: number | string) => string) => string;
}

let built = 0;

/** How many regular expressions have been compiled in this process. */
export function regexesBuilt(): number {
  return built;
}

/** A compiled pattern of a request, or the fault of compiling it. */
export interface RequestRegex {
  readonly regex: Regex | Fault;
  /** The most instructions of its program, which compiling takes time for. */
  readonly size: number;
}

/** Compiles a pattern of a policy; the fault has Go's words. */
export function compileRegex(pattern: string): Regex | Fault {
  return compileOfSize(pattern, programSize(pattern));
}

function compileOfSize(pattern: string, estimate: number): Regex | Fault {
  if (estimate > maxProgram) return new Fault("the regular expression is too large");
  built++;
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(pattern);
  } catch (cause) {
    return new Fault(cause instanceof Error ? cause.message : String(cause));
  }
  const size = compiled.programSize();
  return {
    test: (text) => tooMuchWork(size, text) ?? compiled.test(text),
    replaceAll: (text, replacement, budget) =>
      tooMuchWork(size, text) ?? replaceAll(compiled, text, {
        ...replacement,
        spendOnMatch: () => spend(stepsOfMatch + replacement.parts, budget),
        spendOnRead: () => budget.left -= stepsOfRead + stepsOfReadPerInstruction * size,
      }),
  };
}

/**
 * The steps of reading a character again, and besides for each instruction of the pattern's program: a search for
 * `a.*b|a` may read the rest of the text for each match.
 */
const stepsOfRead = 0.2, stepsOfReadPerInstruction = 0.08;

/** The steps of finding one match: up to two microseconds. */
const stepsOfMatch = 20;

/** The most instructions of a program times characters of a text: matching visits each pair at worst, in 0.25 s. */
const maxWork = 10_000_000;

function tooMuchWork(size: number, text: string): Fault | undefined {
  return size * text.length > maxWork
    ? new Fault("the regular expression and the text are too large together")
    : undefined;
}

/** Compiles a pattern that arises while evaluating, within bounds. */
export function compileRequestRegex(pattern: string): RequestRegex {
  const size = pattern.length > maxPattern ? Infinity : programSize(pattern);
  return { regex: size > maxRequestProgram ? tooLargePattern : compileOfSize(pattern, size), size };
}

/** The bounds of patterns that come from a request: of their characters, and of their compiled form. */
const maxPattern = 1_000, maxRequestProgram = 10_000;

/** The most instructions of a policy's pattern, which is compiled at load. */
const maxProgram = 50_000;
const tooLargePattern = new Fault(
  `a regular expression that is not the policy's has more than ${maxPattern} characters or too many repetitions`,
);

function replaceAll(
  compiled: RE2JS,
  text: string,
  { expand, spendOnMatch, spendOnRead }: Replacement & {
    readonly spendOnMatch: () => Fault | undefined;
    readonly spendOnRead: () => void;
  },
): string | Fault | undefined {
  // The library takes such objects, which its types do not say.
  const matcher = compiled.matcher(new CountedText(text, spendOnRead) as unknown as string);
  const names = new Set(Object.keys(compiled.namedGroups()));
  const group = (name: number | string): string => {
    const hasGroup = typeof name === "number" ? name <= matcher.groupCount() : names.has(name);
    return hasGroup ? matcher.group(name) ?? "" : "";
  };
  let result = "", copied = 0, searchFrom = 0;
  while (searchFrom <= text.length && matcher.find(searchFrom)) {
    const exceeded = spendOnMatch();
    if (exceeded !== undefined) return exceeded;
    const start = matcher.start(), end = matcher.end();
    result += text.slice(copied, start);
    if (end > copied || start === 0) result += expand(group);
    if (result.length > maxText) return undefined;
    copied = end;
    searchFrom = end > searchFrom ? end : searchFrom + widthAt(text, searchFrom);
  }
  return result + text.slice(copied);
}

function widthAt(text: string, index: number): number {
  return (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1;
}

const reference = /\$(?:\$|\{([\p{L}\p{Nd}_]+)\}|([\p{L}\p{Nd}_]+))/gu;

/**
 * A replacement text with `$1` and `${name}` in it, as Go's `Expand` reads it: a name is as long as it can be, so `$1x`
 * is the group `1x`; `$$` is a dollar sign; an unknown group is empty.
 */
export function expansion(template: string): Replacement {
  const parts: (string | { readonly group: number | string })[] = [];
  let last = 0;
  for (const match of template.matchAll(reference)) {
    parts.push(template.slice(last, match.index));
    const name = match[1] ?? match[2];
    if (name === undefined) parts.push("$");
    else parts.push({ group: /^[0-9]+$/.test(name) ? Number(name) : name });
    last = match.index + match[0].length;
  }
  parts.push(template.slice(last));
  return {
    parts: parts.length,
    expand: (group) => parts.map((part) => typeof part === "string" ? part : group(part.group)).join(""),
  };
}
