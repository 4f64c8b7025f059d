import { Fault, isTooDense, type Json, parseJson } from "../../../json/mod.ts";
import { compileWildcard, matchWildcard } from "../../../kube/mod.ts";
import { functionFault, tooLarge } from "../../functions/fault.ts";
import { type Apply, type FunctionNotes, type FunctionRecord, parameter } from "../../functions/record.ts";
import { mappingCase, maxText, toLower, toUpper } from "../../go_strings.ts";
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
    cost: searching,
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
    apply: ([value]) => {
      if (isTooDense(value as string)) {
        return functionFault("json_parse", "the text would take too much memory");
      }
      const parsed = parseJson(value as string);
      return parsed === undefined ? functionFault("json_parse", "the text is not JSON") : parsed;
    },
  },
  finder("find_first", (characters, search, from) => {
    for (let at = from.start; at + search.length <= from.end; at++) {
      if (search.every((character, index) => characters[at + index] === character)) return at;
    }
    return null;
  }),
  finder("find_last", (characters, search, from) => {
    for (let at = from.end - search.length; at >= from.start; at--) {
      if (search.every((character, index) => characters[at + index] === character)) return at;
    }
    return null;
  }),
  padder("pad_left", (value, padding) => padding + value),
  padder("pad_right", (value, padding) => value + padding),
  trimmer("trim_left", "start"),
  trimmer("trim_right", "end"),
];

interface Range {
  readonly start: number;
  readonly end: number;
}

/** The search takes at most the product of both lengths. */
function searching([one, other]: readonly Json[]): number {
  return typeof one === "string" && typeof other === "string" ? (one.length * other.length) / 32 : 0;
}

type Find = (characters: readonly string[], search: readonly string[], range: Range) => number | null;

function finder(name: string, find: Find): CommunityFunction {
  const apply: Apply = ([value, search, start = 0, end = Infinity]) => {
    if (!Number.isInteger(start)) return notAnInteger(name, "start");
    if (end !== Infinity && !Number.isInteger(end)) return notAnInteger(name, "end");
    const characters = [...value as string];
    if (characters.length === 0 || search === "") return null;
    const range = { start: Math.max(0, start as number), end: Math.min(end as number, characters.length) };
    return find(characters, [...search as string], range);
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
    if ([...padding as string].length > 1) {
      return new Fault(
        `invalid value, the function '${name}' expects its 'pad' argument to be a string of length 1`,
      );
    }
    const missing = (width as number) - [...value as string].length;
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
      apply,
    },
  };
}

function trimmer(name: string, side: "start" | "end"): CommunityFunction {
  const left = side === "start";
  const apply: Apply = ([value, characters = ""]) => {
    const whole = value as string;
    if (characters === "") return left ? whole.trimStart() : whole.trimEnd();
    const cut = new Set(characters as string), letters = [...whole];
    let start = 0, end = letters.length;
    while (left && start < end && cut.has(letters[start]!)) start++;
    while (!left && end > start && cut.has(letters[end - 1]!)) end--;
    return letters.slice(start, end).join("");
  };
  return {
    optional: 1,
    record: {
      kind: "plain",
      name,
      parameters: [text, parameter("characters", "string")],
      returns: ["string"],
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
