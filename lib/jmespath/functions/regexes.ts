import { BoundedCache, Fault, type Json, type StepBudget } from "../../json/mod.ts";
import {
  compileRegex,
  compileRequestRegex,
  expansion,
  type Regex,
  type Replacement,
  type RequestRegex,
} from "../regex.ts";
import { perCharacter } from "../costs.ts";
import { spend } from "../steps.ts";
import { functionFault, tooLarge } from "./fault.ts";
import { type Apply, type FunctionNotes, type FunctionRecord, parameter } from "./record.ts";
import { textOf } from "./text_of.ts";

const pattern = parameter("pattern", "string");
const subject = parameter("subject", "string", "number");

/** Kyverno's functions of regular expressions, in RE2's syntax. */
export const regexes: readonly FunctionRecord[] = [
  {
    kind: "plain",
    name: "regex_match",
    parameters: [pattern, subject],
    returns: ["boolean"],
    steps: 16,
    cost: matching,
    ...compiledOnce((regex, [, text]) => regex instanceof Fault ? regex : regex.test(textOf(text!) ?? "")),
  },
  {
    kind: "plain",
    name: "regex_replace_all",
    parameters: [pattern, subject, parameter("replacement", "string", "number")],
    returns: ["string"],
    steps: 60,
    cost: replacingCost,
    ...replacing("regex_replace_all", expansion),
  },
  {
    kind: "plain",
    name: "regex_replace_all_literal",
    parameters: [pattern, subject, parameter("replacement", "string", "number")],
    returns: ["string"],
    steps: 60,
    cost: replacingCost,
    ...replacing("regex_replace_all_literal", (text) => ({ parts: 1, expand: () => text })),
  },
];

/** Matching takes at most pattern times text; small patterns and texts are not worth counting. */
function matching([pattern, subject]: readonly Json[]): number {
  return typeof pattern === "string" && typeof subject === "string"
    ? (pattern.length * subject.length) / 16
    : 0;
}

/** As {@link matching}; and the replacement may have a group at every second character. */
function replacingCost(args: readonly Json[], limit: number): number {
  return matching(args) + perCharacter(3)([args[2]!], limit);
}

type Use = (regex: Regex | Fault, args: readonly Json[], budget: StepBudget) => Json | Fault;

/**
 * The most instructions of all patterns that one call caches, which take up to a megabyte. Elements of a list, and
 * successive requests, often bring the same patterns.
 */
const maxCached = 10_000;

/** The two ways to run: with a pattern of the policy, compiled at load, or with patterns of the request. */
function compiledOnce(
  use: Use,
): { readonly apply: Apply; readonly prepare: (constants: readonly (Json | undefined)[]) => Apply } {
  return {
    apply: (args, _environment, budget) => {
      const made = compileRequestRegex(args[0] as string);
      return use(spendOnCompiling(made, budget) ?? made.regex, args, budget);
    },
    prepare: ([constant]) => {
      if (typeof constant === "string") {
        const regex = compileRegex(constant);
        return (args, _environment, budget) => use(regex, args, budget);
      }
      const cached = new BoundedCache<RequestRegex>(maxCached, ({ size }) => size);
      return (args, _environment, budget) => {
        const text = args[0] as string;
        // Only the request that compiles a pattern spends steps on it, and it alone fails without them.
        let exceeded: Fault | undefined;
        const { regex } = cached.getOrMake(text, () => {
          const made = compileRequestRegex(text);
          exceeded = spendOnCompiling(made, budget);
          return made;
        });
        return use(exceeded ?? regex, args, budget);
      };
    },
  };
}

/** The steps of making a pattern, and of each of its instructions: two or three microseconds. */
const stepsOfPattern = 500, stepsOfInstruction = 50;

/** The steps of compiling a pattern of a request: each element of a list may bring another one. */
function spendOnCompiling({ regex, size }: RequestRegex, budget: StepBudget): Fault | undefined {
  return regex instanceof Fault ? undefined : spend(stepsOfPattern + stepsOfInstruction * size, budget);
}

function replacing(name: string, read: (text: string) => Replacement): ReturnType<typeof compiledOnce> {
  return compiledOnce((regex, [, text, replacement], budget) => {
    if (regex instanceof Fault) return functionFault(name, regex.message);
    return regex.replaceAll(textOf(text!) ?? "", read(textOf(replacement!) ?? ""), budget) ?? tooLarge(name);
  });
}

/** The notes of these functions. */
export const regexNotes: FunctionNotes = {
  regex_match: {
    summary: "Whether a regular expression matches anywhere in a text or number.",
    examples: [
      { expression: "regex_match('^[1-7]$', `1`)", result: true },
      { expression: "regex_match('^v[0-9]+$', 'v1beta1')", result: false },
    ],
  },
  regex_replace_all: {
    summary: "The text with every match replaced; `$1` and `${name}` stand for groups.",
    examples: [
      { expression: "regex_replace_all('([Hh]e)llo', 'Hello hello', '${1}y')", result: "Hey hey" },
    ],
  },
  regex_replace_all_literal: {
    summary: "The text with every match replaced by the replacement as it is written.",
    examples: [{ expression: "regex_replace_all_literal('a', 'banana', '$1')", result: "b$1n$1n$1" }],
  },
};
