import type { RE2JS } from "re2js";
import { CelFault, failure } from "../fault.ts";
import { compilePattern, compiling, countedText } from "../pattern.ts";
import { compilingEffort, matchingEffort } from "../effort.ts";
import { intType, listType, stringType } from "../types/mod.ts";
import type { Int, Value } from "../values/mod.ts";
import { type ArgumentMistake, type CallArgument, type Library, method, type Result } from "./library.ts";
import { searchCost } from "./text_functions.ts";

/** A match with its groups. Group 0 is the match; groups that took no part are empty. */
export interface Match {
  readonly start: number;
  readonly end: number;
  readonly groups: readonly string[];
}

/** Yields every match from left to right. As in Go, an empty match right after another is not a match. */
export function* matchesOf(text: string, pattern: RE2JS): Generator<Match> {
  const matcher = pattern.matcher(countedText(pattern, text));
  let from = 0, lastEnd = -1;
  while (from <= text.length && matcher.find(from)) {
    const start = matcher.start(), end = matcher.end();
    if (end > start || start !== lastEnd) {
      const groups = Array.from(
        { length: matcher.groupCount() + 1 },
        (_, index) => matcher.group(index) ?? "",
      );
      yield { start, end, groups };
    }
    lastEnd = end;
    from = end > start ? end : end + ((text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1);
  }
}

function findAll(text: string, pattern: RE2JS, limit: Int): readonly string[] {
  const found: string[] = [];
  if (limit === 0) return found;
  for (const { groups } of matchesOf(text, pattern)) {
    found.push(groups[0]!);
    if (found.length === Number(limit)) break;
  }
  return found;
}

function find(text: string, pattern: RE2JS): string {
  const matcher = pattern.matcher(countedText(pattern, text));
  return matcher.find() ? matcher.group() ?? "" : "";
}

/** Applies a pattern that is not constant. */
function withPattern(compiled: RE2JS | CelFault, use: (pattern: RE2JS) => Result): Result {
  return compiled instanceof CelFault ? failure(`Illegal regex: ${compiled.message}`) : use(compiled);
}

function constantPattern(value: Value | undefined): RE2JS | undefined {
  const compiled = typeof value === "string" ? compilePattern(value) : undefined;
  return compiled instanceof CelFault ? undefined : compiled;
}

/** Reports a constant that is not a pattern. */
function mistake([, pattern]: readonly CallArgument[]): ArgumentMistake | undefined {
  if (typeof pattern?.value !== "string") return undefined;
  const compiled = compilePattern(pattern.value);
  return compiled instanceof CelFault ? { offset: pattern.offset, message: compiled.message } : undefined;
}

/** Searches by patterns: `find`, `findAll`. Patterns are RE2's. */
export const regexLibrary: Library = {
  name: "kubernetes.regex",
  functions: [
    {
      name: "find",
      overloads: [
        method({
          id: "string_find_string",
          takes: [stringType, stringType],
          gives: stringType,
          ...compiling((compile) => (text: string, pattern: string) =>
            withPattern(compile(pattern), (compiled) => find(text, compiled))
          ),
          prepare: ([, pattern]) => {
            const compiled = constantPattern(pattern);
            return compiled && ((text) => find(text, compiled));
          },
          cost: searchCost,
          effort: compilingEffort,
          check: mistake,
        }),
      ],
    },
    {
      name: "findAll",
      overloads: [
        method({
          id: "string_find_all_string",
          takes: [stringType, stringType],
          gives: listType(stringType),
          ...compiling((compile) => (text: string, pattern: string) =>
            withPattern(compile(pattern), (compiled) => findAll(text, compiled, -1))
          ),
          prepare: ([, pattern]) => {
            const compiled = constantPattern(pattern);
            return compiled && ((text) => findAll(text, compiled, -1));
          },
          cost: searchCost,
          effort: matchingEffort,
          check: mistake,
        }),
        method({
          id: "string_find_all_string_int",
          takes: [stringType, stringType, intType],
          gives: listType(stringType),
          ...compiling((compile) => (text: string, pattern: string, limit: Int) =>
            withPattern(compile(pattern), (compiled) => findAll(text, compiled, limit))
          ),
          cost: searchCost,
          effort: matchingEffort,
          check: mistake,
        }),
      ],
    },
  ],
};
