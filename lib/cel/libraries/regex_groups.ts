import type { RE2JS } from "re2js";
import { CelFault, failure } from "../fault.ts";
import { compilePattern } from "../pattern.ts";
import { intType, listType, optionalType, stringType } from "../types/mod.ts";
import { type Int, Optional } from "../values/mod.ts";
import { type Library, overload, type Result } from "./library.ts";
import { searchCost } from "./text_functions.ts";

/** The longest text that replacing may make. */
const MAX_TEXT = 1_000_000;

function withPattern(pattern: string, use: (pattern: RE2JS) => Result): Result {
  const compiled = compilePattern(pattern);
  return compiled instanceof CelFault
    ? failure(`given regex is invalid: ${compiled.message}`)
    : use(compiled);
}

/** A replacement taken apart: texts, and numbers of groups written `\\1`. */
function partsOf(replacement: string, groups: number): (string | number)[] | CelFault {
  const parts: (string | number)[] = [];
  let text = "";
  for (let index = 0; index < replacement.length; index++) {
    const unit = replacement[index]!;
    if (unit !== "\\") {
      text += unit;
      continue;
    }
    const next = replacement[++index] ?? "";
    if (next === "\\") text += next;
    else if (/\d/.test(next)) {
      if (Number(next) > groups) {
        return failure(`replacement string references group ${next} but regex has only ${groups} group(s)`);
      }
      parts.push(text, Number(next));
      text = "";
    } else {
      return failure(`invalid replacement string: '${replacement}' \\ must be followed by a digit or \\`);
    }
  }
  return [...parts, text];
}

function replace(target: string, [pattern, replacement]: readonly [string, string], limit: Int): Result {
  return withPattern(pattern, (compiled) => {
    const parts = partsOf(replacement, compiled.groupCount());
    if (parts instanceof CelFault || limit === 0) return parts instanceof CelFault ? parts : target;
    const matcher = compiled.matcher(target);
    let made = "", from = 0;
    for (let count = 0; (limit < 0 || count < limit) && matcher.find(); count++) {
      made += target.slice(from, matcher.start());
      for (const part of parts) made += typeof part === "string" ? part : matcher.group(part) ?? "";
      from = matcher.end();
      if (made.length > MAX_TEXT) return failure(`the text would have more than ${MAX_TEXT} characters`);
    }
    return made + target.slice(from);
  });
}

/** What is extracted by each match: its only group where the pattern has one, otherwise the whole. */
function extracted(target: string, pattern: string, limit: number): string[] | CelFault {
  const compiled = compilePattern(pattern);
  if (compiled instanceof CelFault) return failure(`given regex is invalid: ${compiled.message}`);
  const groups = compiled.groupCount();
  if (groups > 1) return failure(`regular expression has more than one capturing group: "${pattern}"`);
  const found: string[] = [];
  const matcher = compiled.matcher(target);
  while (found.length < limit && matcher.find()) {
    const text = matcher.group(groups);
    if (text !== null && text !== undefined) found.push(text);
  }
  return found;
}

/**
 * Parts of texts by pattern: `regex.replace(text, pattern, replacement[, count])` with groups as `\\1`,
 * `regex.extract(text, pattern)` and `regex.extractAll(text, pattern)`. Patterns are RE2's.
 */
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
          call: (target, pattern, replacement) => replace(target, [pattern, replacement], -1),
          cost: searchCost,
        }),
        overload({
          id: "regex_replace_string_string_string_int",
          takes: [stringType, stringType, stringType, intType],
          gives: stringType,
          call: (target, pattern, replacement, count) => replace(target, [pattern, replacement], count),
          cost: searchCost,
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
          call: (target, pattern) => {
            const found = extracted(target, pattern, 1);
            if (found instanceof CelFault) return found;
            return found[0] === undefined ? Optional.none : Optional.of(found[0]);
          },
          cost: searchCost,
        }),
      ],
    },
    {
      name: "regex.extractAll",
      overloads: [
        overload({
          id: "regex_extract_all_string_string",
          takes: [stringType, stringType],
          gives: listType(stringType),
          call: (target, pattern) => extracted(target, pattern, Infinity),
          cost: searchCost,
        }),
      ],
    },
  ],
};
