import { Fault, type Json, parseJson } from "../../../json/mod.ts";
import { compileWildcard, matchWildcard } from "../../../kube/mod.ts";
import { functionFault, tooLarge } from "../../functions/fault.ts";
import { type Apply, type FunctionRecord, parameter } from "../../functions/record.ts";
import { maxText, toLower, toUpper } from "../../go_strings.ts";
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
    summary: "The text in lower case.",
    examples: [{ expression: "lower('ABC')", result: "abc" }],
    apply: ([value]) => toLower(value as string),
  },
  {
    kind: "plain",
    name: "upper",
    parameters: [text],
    returns: ["string"],
    summary: "The text in upper case.",
    examples: [{ expression: "upper('abc')", result: "ABC" }],
    apply: ([value]) => toUpper(value as string),
  },
  {
    kind: "plain",
    name: "concat",
    parameters: [parameter("left", "string"), parameter("right", "string")],
    returns: ["string"],
    summary: "Two texts as one.",
    examples: [{ expression: "concat(':', 'latest')", result: ":latest" }],
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
    summary: "Whether a text matches a pattern with * and ?.",
    examples: [{ expression: "wildcard('bypass-*', 'bypass-me')", result: true }],
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
    summary: "The value that a JSON text stands for.",
    examples: [{ expression: "json_parse('[1, true]')", result: [1, true] }],
    apply: ([value]) => {
      const parsed = parseJson(value as string);
      return parsed === undefined ? functionFault("json_parse", "the text is not JSON") : parsed;
    },
  },
  finder("find_first", (characters, search, from) => {
    for (let at = from.start; at + search.length <= from.end; at++) {
      if (search.every((character, index) => characters[at + index] === character)) return at;
    }
    return null;
  }, "The position of a text in another, counted from 0; null when it is not there."),
  finder("find_last", (characters, search, from) => {
    for (let at = from.end - search.length; at >= from.start; at--) {
      if (search.every((character, index) => characters[at + index] === character)) return at;
    }
    return null;
  }, "The last position of a text in another, counted from 0; null when it is not there."),
  padder(
    "pad_left",
    (value, padding) => padding + value,
    "The text, made as long as the width from the left.",
  ),
  padder(
    "pad_right",
    (value, padding) => value + padding,
    "The text, made as long as the width to the right.",
  ),
  trimmer("trim_left", "start", "The text without the given characters, or white space, at its beginning."),
  trimmer("trim_right", "end", "The text without the given characters, or white space, at its end."),
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

function finder(name: string, find: Find, summary: string): CommunityFunction {
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
      summary,
      examples: [{ expression: `${name}('abcab', 'ab')`, result: name === "find_first" ? 0 : 3 }],
      cost: searching,
      apply,
    },
  };
}

function padder(
  name: string,
  pad: (value: string, padding: string) => string,
  summary: string,
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
      summary,
      examples: [{ expression: `${name}('5', \`3\`, '0')`, result: name === "pad_left" ? "005" : "500" }],
      apply,
    },
  };
}

function trimmer(name: string, side: "start" | "end", summary: string): CommunityFunction {
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
      summary,
      examples: [{ expression: `${name}('--a--', '-')`, result: left ? "a--" : "--a" }],
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
