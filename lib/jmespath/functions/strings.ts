import {
  compareBytes,
  countCharacters,
  type Fault,
  type Json,
  replaceText,
  type StepBudget,
  TextSearch,
} from "../../json/mod.ts";
import { equalFold, mappingCase, maxText, toLower, toUpper } from "../go_strings.ts";
import { perCharacter } from "../costs.ts";
import { outOfSteps } from "../steps.ts";
import { tooLarge } from "./fault.ts";
import {
  type Apply,
  type FunctionNotes,
  type FunctionRecord,
  parameter,
  type PlainFunction,
} from "./record.ts";
import { trimmed, trimming } from "./trimmed.ts";

type Described = Pick<PlainFunction, "name" | "returns" | "integer" | "cost">;

/** A function of up to three strings alone, whose parameters have the given names. */
function ofStrings(
  record: Described,
  names: readonly string[],
  compute: (first: string, second: string, third: string) => ReturnType<Apply>,
): FunctionRecord {
  return {
    kind: "plain",
    parameters: names.map((name) => parameter(name, "string")),
    apply: ([first, second, third]) => compute(first as string, second as string, third as string),
    ...record,
  };
}

/** The standard's functions of strings and Kyverno's. */
export const strings: readonly FunctionRecord[] = [
  ofStrings(
    {
      name: "starts_with",
      returns: ["boolean"],
    },
    ["text", "prefix"],
    (text, prefix) => text.startsWith(prefix),
  ),
  ofStrings(
    {
      name: "ends_with",
      returns: ["boolean"],
    },
    ["text", "suffix"],
    (text, suffix) => text.endsWith(suffix),
  ),
  ofStrings(
    {
      name: "compare",
      returns: ["number"],
      integer: true,
    },
    ["left", "right"],
    (left, right) => Math.sign(compareBytes(left, right)),
  ),
  ofStrings(
    {
      name: "equal_fold",
      returns: ["boolean"],
      cost: mappingCase,
    },
    ["left", "right"],
    (left, right) => equalFold(left, right),
  ),
  {
    kind: "plain",
    name: "replace",
    parameters: [
      parameter("text", "string"),
      parameter("old", "string"),
      parameter("new", "string"),
      parameter("count", "number"),
    ],
    returns: ["string"],
    cost: replacing,
    apply: ([text, old, replacement, count], _environment, budget) => {
      const whole = Math.trunc(count as number);
      const limit = whole < 0 ? Infinity : whole;
      return replace(text as string, { old, replacement, limit } as Replacing, budget) ?? tooLarge("replace");
    },
  },
  {
    kind: "plain",
    name: "replace_all",
    parameters: [parameter("text", "string"), parameter("old", "string"), parameter("new", "string")],
    returns: ["string"],
    cost: replacing,
    apply: ([text, old, replacement], _environment, budget) =>
      replace(text as string, { old, replacement, limit: Infinity } as Replacing, budget) ??
        tooLarge("replace_all"),
  },
  ofStrings(
    {
      name: "to_upper",
      returns: ["string"],
      cost: mappingCase,
    },
    ["text"],
    (text) => toUpper(text),
  ),
  ofStrings(
    {
      name: "to_lower",
      returns: ["string"],
      cost: mappingCase,
    },
    ["text"],
    (text) => toLower(text),
  ),
  ofStrings(
    {
      name: "trim",
      returns: ["string"],
      cost: trimming,
    },
    ["text", "characters"],
    (text, characters) => trimmed(text, characters),
  ),
  ofStrings(
    {
      name: "trim_prefix",
      returns: ["string"],
    },
    ["text", "prefix"],
    (text, prefix) => text.startsWith(prefix) ? text.slice(prefix.length) : text,
  ),
  ofStrings(
    {
      name: "split",
      returns: ["array[string]"],
      cost: splitting,
    },
    ["text", "separator"],
    (text, separator) => split(text, separator),
  ),
  {
    kind: "plain",
    name: "truncate",
    parameters: [parameter("text", "string"), parameter("length", "number")],
    returns: ["string"],
    // Kyverno parity: a length beyond 64 bits counts as 0. Pinned by tests/jmespath/texts_test.ts.
    apply: ([text, length]) => {
      const limit = Math.trunc(Math.max(0, length as number));
      return limit < 2 ** 63 ? truncate(text as string, limit) : "";
    },
  },
];

function split(text: string, separator: string): Json {
  return separator === "" ? [...text] : new TextSearch(separator).split(text);
}

/** The cost of splitting at a separator; an empty one stands between all characters. The parts are copied. */
function splitting([text, separator]: readonly Json[], limit: number): number {
  return perCharacter(1)([separator === "" ? text! : separator!], limit) + perCharacter(0.25)([text!], limit);
}

/** The cost of searching; an empty part is found at each character. */
function replacing([text, old]: readonly Json[], limit: number): number {
  return old === "" ? perCharacter(2)([text!], limit) : perCharacter(1)([old!], limit);
}

/** The steps of one replacement. */
const stepsOfReplacing = 4;

interface Replacing {
  readonly old: string;
  readonly replacement: string;
  readonly limit: number;
}

/** The text with up to `limit` replacements; `undefined` when the result would be too large. */
function replace(
  text: string,
  { old, replacement, limit }: Replacing,
  budget: StepBudget,
): Json | Fault | undefined {
  const fits = (count: number): boolean => text.length + count * replacement.length <= maxText;
  let count = old === "" ? Math.min(limit, countCharacters(text) + 1) : 0;
  if (!fits(count)) return undefined;
  const replaced = replaceText(text, { old, by: replacement, most: limit }, () => {
    budget.left -= stepsOfReplacing;
    return budget.left >= 0 && fits(++count);
  });
  return budget.left < 0 ? outOfSteps : fits(count) ? replaced : undefined;
}

function truncate(text: string, length: number): string {
  // A text has at least half as many characters as UTF-16 units.
  if (text.length <= length) return text;
  let end = 0;
  for (let count = 0; count < length && end < text.length; count++) {
    end += text.codePointAt(end)! > 0xffff ? 2 : 1;
  }
  return text.slice(0, end);
}

/** The notes of these functions. */
export const stringNotes: FunctionNotes = {
  starts_with: {
    summary: "Whether a string begins with another.",
    examples: [{ expression: "starts_with('kube-system', 'kube-')", result: true }],
  },
  ends_with: {
    summary: "Whether a string ends with another.",
    examples: [{ expression: "ends_with('nginx:latest', ':latest')", result: true }],
  },
  compare: {
    summary: "-1, 0 or 1 as the first string sorts before, with or after the second, by their bytes.",
    examples: [
      { expression: "compare('a', 'b')", result: -1 },
      { expression: "compare('a', 'a')", result: 0 },
    ],
  },
  equal_fold: {
    summary: "Whether two strings are equal but for the case of their letters.",
    examples: [{ expression: "equal_fold('Straße', 'STRAßE')", result: true }],
  },
  replace: {
    summary: "The text with the first occurrences of a part replaced; with a negative count, all of them.",
    examples: [
      { expression: "replace('a-b-c', '-', '+', `1`)", result: "a+b-c" },
      { expression: "replace('a-b-c', '-', '+', `-1`)", result: "a+b+c" },
    ],
  },
  replace_all: {
    summary: "The text with every occurrence of a part replaced.",
    examples: [{ expression: "replace_all('a-b-c', '-', '')", result: "abc" }],
  },
  to_upper: {
    summary: "The text in upper case.",
    examples: [{ expression: "to_upper('straße')", result: "STRAßE" }],
  },
  to_lower: {
    summary: "The text in lower case.",
    examples: [{ expression: "to_lower('ABC')", result: "abc" }],
  },
  trim: {
    summary: "The text without the given characters at its ends.",
    examples: [{ expression: "trim('¡¡Hello, Gophers!!', '!¡')", result: "Hello, Gophers" }],
  },
  trim_prefix: {
    summary: "The text without a prefix, if it has it.",
    examples: [{ expression: "trim_prefix('sha256:abc', 'sha256:')", result: "abc" }],
  },
  split: {
    summary: "The parts of a text between separators; its characters when the separator is empty.",
    examples: [
      { expression: "split('a:b', ':')", result: ["a", "b"] },
      { expression: "split('日本', '')", result: ["日", "本"] },
    ],
  },
  truncate: {
    summary: "The text's first characters, at most as many as the length.",
    examples: [{ expression: "truncate('Hello World', `5`)", result: "Hello" }],
  },
};
