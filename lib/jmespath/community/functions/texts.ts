import {
  countCharacters,
  Fault,
  isTooDense,
  type Json,
  parseJson,
  TextSearch,
  unitsOf,
} from "../../../json/mod.ts";
import { compileWildcard, matchWildcard } from "../../../kube/mod.ts";
import { functionFault, tooLarge } from "../../functions/fault.ts";
import { type Apply, type FunctionNotes, type FunctionRecord, parameter } from "../../functions/record.ts";
import { matchingWildcard } from "../../functions/kubernetes.ts";
import { trimmed, trimming } from "../../functions/trimmed.ts";
import { mappingCase, maxText, toLower, toUpper } from "../../go_strings.ts";
import { perCharacter } from "../../costs.ts";
import type { CommunityFunction } from "./record.ts";

const text = parameter("text", "string");
const subject = [parameter("subject", "string"), parameter("search", "string")];
const bounds = [parameter("start", "number"), parameter("end", "number")];

/** The dialect's functions of texts that Kyverno's dialect lacks. */
export const texts: readonly (FunctionRecord | CommunityFunction)[] = [
  {
    kind: "plain",
    name: "lower",
    parameters: [text],
    returns: ["string"],
    cost: mappingCase,
    apply: ([value]) => toLower(value as string),
  },
  {
    kind: "plain",
    name: "upper",
    parameters: [text],
    returns: ["string"],
    cost: mappingCase,
    apply: ([value]) => toUpper(value as string),
  },
  {
    kind: "plain",
    name: "concat",
    parameters: [parameter("left", "string"), parameter("right", "string")],
    returns: ["string"],
    apply: ([left, right]) => {
      const joined = `${left as string}${right as string}`;
      return joined.length > maxText ? tooLarge("concat") : joined;
    },
  },
  {
    kind: "plain",
    name: "wildcard",
    parameters: [parameter("pattern", "string"), text],
    returns: ["boolean"],
    cost: matchingWildcard,
    apply: ([pattern, value]) => matchWildcard(pattern as string, value as string),
    prepare: ([pattern]) => {
      if (typeof pattern !== "string") return undefined;
      const matches = compileWildcard(pattern);
      return ([, value]) => matches(value as string);
    },
  },
  {
    kind: "plain",
    name: "json_parse",
    parameters: [text],
    returns: ["any"],
    cost: perCharacter(0.5),
    apply: ([value]) => {
      if (isTooDense(value as string)) {
        return functionFault("json_parse", "the text would take too much memory");
      }
      const parsed = parseJson(value as string);
      return parsed === undefined ? functionFault("json_parse", "the text is not JSON") : parsed;
    },
  },
  finder("find_first", (whole, search, { start, end }) => {
    const at = search.positionIn(whole, start);
    return at + search.text.length <= end ? at : -1;
  }),
  finder("find_last", (whole, search, { start, end }) => {
    const last = end - search.text.length, at = last < start ? -1 : search.lastPositionIn(whole, last);
    return at >= start ? at : -1;
  }),
  padder("pad_left", (value, padding) => padding + value),
  padder("pad_right", (value, padding) => value + padding),
  trimmer("trim_left", "start"),
  trimmer("trim_right", "end"),
];

/** Indices of UTF-16 units. */
interface Range {
  readonly start: number;
  readonly end: number;
}

/** A short text may meet each character of the other at each of its own. */
function searching([whole, search]: readonly Json[], limit: number): number {
  return typeof whole === "string" && typeof search === "string"
    ? perCharacter(0.5)([whole, search], limit) + (whole.length * Math.min(search.length, 32)) / 32
    : 0;
}

/** Returns the index of a text within a range; -1 when it is not there. */
type Find = (whole: string, search: TextSearch, range: Range) => number;

function finder(name: string, find: Find): CommunityFunction {
  const apply: Apply = ([value, sought, start = 0, end = Infinity]) => {
    if (!Number.isInteger(start)) return notAnInteger(name, "start");
    if (end !== Infinity && !Number.isInteger(end)) return notAnInteger(name, "end");
    // A lone surrogate would be found in the middle of a character. Go has none.
    const whole = (value as string).toWellFormed(), search = (sought as string).toWellFormed();
    if (whole === "" || search === "") return null;
    const range = { start: unitsOf(whole, start as number), end: unitsOf(whole, end as number) };
    const at = find(whole, new TextSearch(search), range);
    return at < 0 ? null : countCharacters(whole.slice(0, at));
  };
  return {
    optional: 2,
    record: {
      kind: "plain",
      name,
      parameters: [...subject, ...bounds],
      returns: ["number", "null"],
      cost: searching,
      apply,
    },
  };
}

function padder(
  name: string,
  pad: (value: string, padding: string) => string,
): CommunityFunction {
  const apply: Apply = ([value, width, padding = " "]) => {
    if (!Number.isInteger(width) || (width as number) < 0) return notPositive(name, "width");
    if (countCharacters(padding as string) > 1) {
      return new Fault(
        `invalid value, the function '${name}' expects its 'pad' argument to be a string of length 1`,
      );
    }
    const missing = (width as number) - countCharacters(value as string);
    if ((width as number) > maxText) return tooLarge(name);
    return missing <= 0 ? value! : pad(value as string, (padding as string).repeat(missing));
  };
  return {
    optional: 1,
    record: {
      kind: "plain",
      name,
      parameters: [text, parameter("width", "number"), parameter("pad", "string")],
      returns: ["string"],
      cost: perCharacter(0.25),
      apply,
    },
  };
}

function trimmer(name: string, side: "start" | "end"): CommunityFunction {
  const apply: Apply = ([value, characters = ""]) => {
    const whole = value as string;
    if (characters !== "") return trimmed(whole, characters as string, side);
    return side === "start" ? whole.trimStart() : whole.trimEnd();
  };
  return {
    optional: 1,
    record: {
      kind: "plain",
      name,
      parameters: [text, parameter("characters", "string")],
      returns: ["string"],
      cost: trimming,
      apply,
    },
  };
}

function notAnInteger(name: string, argument: string): Fault {
  return new Fault(
    `invalid value, the function '${name}' expects its '${argument}' argument to be an integer.`,
  );
}

function notPositive(name: string, argument: string): Fault {
  return new Fault(
    `invalid value, the function '${name}' expects its '${argument}' argument to be a an integer value ` +
      "greater than or equal to zero.",
  );
}

/** The notes of these functions. */
export const communityTextNotes: FunctionNotes = {
  lower: {
    summary: "The text in lower case.",
    examples: [{ expression: "lower('ABC')", result: "abc" }],
  },
  upper: {
    summary: "The text in upper case.",
    examples: [{ expression: "upper('abc')", result: "ABC" }],
  },
  concat: {
    summary: "Two texts as one.",
    examples: [{ expression: "concat(':', 'latest')", result: ":latest" }],
  },
  wildcard: {
    summary: "Whether a text matches a pattern with * and ?.",
    examples: [{ expression: "wildcard('bypass-*', 'bypass-me')", result: true }],
  },
  json_parse: {
    summary: "The value that a JSON text stands for.",
    examples: [{ expression: "json_parse('[1, true]')", result: [1, true] }],
  },
  find_first: {
    summary: "The position of a text in another, counted from 0; null when it is not there.",
    examples: [{ expression: "find_first('abcab', 'ab')", result: 0 }],
  },
  find_last: {
    summary: "The last position of a text in another, counted from 0; null when it is not there.",
    examples: [{ expression: "find_last('abcab', 'ab')", result: 3 }],
  },
  pad_left: {
    summary: "The text, made as long as the width from the left.",
    examples: [{ expression: "pad_left('5', `3`, '0')", result: "005" }],
  },
  pad_right: {
    summary: "The text, made as long as the width to the right.",
    examples: [{ expression: "pad_right('5', `3`, '0')", result: "500" }],
  },
  trim_left: {
    summary: "The text without the given characters, or white space, at its beginning.",
    examples: [{ expression: "trim_left('--a--', '-')", result: "a--" }],
  },
  trim_right: {
    summary: "The text without the given characters, or white space, at its end.",
    examples: [{ expression: "trim_right('--a--', '-')", result: "--a" }],
  },
};
