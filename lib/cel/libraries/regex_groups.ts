import type { RE2JS } from "re2js";
import { clipped, quoted } from "../../json/mod.ts";
import { CelFault, failure, isCelFault } from "../fault.ts";
import { compiling, type PatternCompiler } from "../pattern.ts";
import { compilingEffort, matchingEffort, readingEffort } from "../effort.ts";
import { intType, listType, optionalType, stringType } from "../types/mod.ts";
import { type Int, Optional } from "../values/mod.ts";
import { type Library, type Overload, overload, type Result } from "./library.ts";
import { type Match, matchesOf } from "./regex.ts";
import { searchCost } from "./text_functions.ts";

/** The most characters of a replacement's result: a short pattern and a long replacement could make any length. */
const maxLength = 10_000_000;

/** The effort of replacing: a replacement may have a part for each of its characters. */
const replacingEffort: Overload["effort"] = (args, constants) =>
  matchingEffort(args, constants) + readingEffort(100, 2)(args);

/** The parts of a replacement: literal text, and numbers of groups. */
type Template = readonly (string | number)[];

/** Parses a replacement, in which `\1` to `\9` stand for groups, `\0` for the whole match, and `\\` for a backslash. */
function readTemplate(text: string, groups: number): Template | CelFault {
  const parts: (string | number)[] = [];
  const wrong = (why: string): CelFault =>
    failure(`invalid replacement string: '${clipped(text, 1_000)}' \\ ${why}`);
  let at = 0;
  for (let slash = text.indexOf("\\"); slash >= 0; slash = text.indexOf("\\", at)) {
    const next = text[slash + 1];
    if (next === undefined) return wrong("not allowed at end");
    parts.push(text.slice(at, slash));
    if (next === "\\") parts.push(next);
    else if (!/[0-9]/.test(next)) {
      return wrong("must be followed by a digit or \\");
    } else if (Number(next) > groups) {
      return failure(
        `replacement string references group ${next} but regex has only ${groups} group(s)`,
      );
    } else parts.push(Number(next));
    at = slash + 2;
  }
  return [...parts, text.slice(at)];
}

function fill(template: Template, { groups }: Match): string {
  return template.map((part) => typeof part === "string" ? part : groups[part]!).join("");
}

interface Replacement {
  readonly by: string;
  /** The number of matches that are replaced; all when negative. */
  readonly count: Int;
}

function replace(text: string, compiled: RE2JS | CelFault, { by, count }: Replacement): Result {
  if (count === 0) return text;
  if (compiled instanceof CelFault) return compiled;
  let template: Template | CelFault | undefined;
  let result = "", copied = 0, replaced = 0;
  for (const match of matchesOf(text, compiled)) {
    template ??= readTemplate(by, match.groups.length - 1);
    if (isCelFault(template)) return template;
    result += text.slice(copied, match.start) + fill(template, match);
    if (result.length > maxLength) return failure("regex.replace: the text gets too long");
    copied = match.end;
    if (++replaced === Number(count)) break;
  }
  return result + text.slice(copied);
}

/** Compiles a pattern with at most one group. */
function singleGroup(pattern: string, compile: PatternCompiler): RE2JS | CelFault {
  const compiled = compile(pattern);
  return !(compiled instanceof CelFault) && compiled.groupCount() > 1
    ? failure(`regular expression has more than one capturing group: ${quoted(pattern)}`)
    : compiled;
}

/** The value of a match: its group when the pattern has one, which must not be empty; otherwise the whole match. */
function extracted({ groups }: Match): string | undefined {
  return groups.length === 1 ? groups[0] : groups[1] || undefined;
}

function extract(text: string, compiled: RE2JS | CelFault): Result {
  if (isCelFault(compiled)) return compiled;
  const [first] = matchesOf(text, compiled);
  const found = first && extracted(first);
  return found === undefined ? Optional.none : Optional.of(found);
}

function extractAll(text: string, compiled: RE2JS | CelFault): Result {
  if (isCelFault(compiled)) return compiled;
  return Array.from(matchesOf(text, compiled), extracted).filter((found) => found !== undefined);
}

/** Groups of patterns: `regex.replace`, `regex.extract`, `regex.extractAll`. */
export const regexGroupsLibrary: Library = {
  name: "regex",
  functions: [
    {
      name: "regex.replace",
      overloads: [
        overload({
          id: "regex_replace_string_string_string",
          takes: [stringType, stringType, stringType],
          gives: stringType,
          ...compiling((compile) => (text: string, pattern: string, by: string) =>
            replace(text, compile(pattern), { by, count: -1 })
          ),
          cost: searchCost,
          effort: replacingEffort,
        }),
        overload({
          id: "regex_replace_string_string_string_int",
          takes: [stringType, stringType, stringType, intType],
          gives: stringType,
          ...compiling((compile) => (text: string, pattern: string, by: string, count: Int) =>
            replace(text, compile(pattern), { by, count })
          ),
          cost: searchCost,
          effort: replacingEffort,
        }),
      ],
    },
    {
      name: "regex.extract",
      overloads: [
        overload({
          id: "regex_extract_string_string",
          takes: [stringType, stringType],
          gives: optionalType(stringType),
          ...compiling((compile) => (text: string, pattern: string) =>
            extract(text, singleGroup(pattern, compile))
          ),
          cost: searchCost,
          effort: compilingEffort,
        }),
      ],
    },
    {
      name: "regex.extractAll",
      overloads: [
        overload({
          id: "regex_extractAll_string_string",
          takes: [stringType, stringType],
          gives: listType(stringType),
          ...compiling((compile) => (text: string, pattern: string) =>
            extractAll(text, singleGroup(pattern, compile))
          ),
          cost: searchCost,
          effort: matchingEffort,
        }),
      ],
    },
  ],
};
