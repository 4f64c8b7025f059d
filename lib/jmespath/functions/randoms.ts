import { Fault, type Json, type StepBudget } from "../../json/mod.ts";
import { compileTextGenerator, stepsOfTextGenerator, type TextGenerator } from "../../kube/mod.ts";
import type { Environment } from "../plan/value.ts";
import { spend } from "../steps.ts";
import { type FunctionNotes, type FunctionRecord, parameter } from "./record.ts";

/** The longest pattern that is read. */
const maxPattern = 1_000;

/** Kyverno's function `random`. */
export const randoms: readonly FunctionRecord[] = [
  {
    kind: "plain",
    name: "random",
    parameters: [parameter("pattern", "string")],
    returns: ["string"],
    volatile: true,
    apply: ([pattern], environment, budget) =>
      spendOnCompiling(pattern as string, budget) ??
        generate(generatorOf(pattern!), { environment, budget }),
    prepare: ([pattern]) => {
      if (typeof pattern !== "string") return undefined;
      const generator = generatorOf(pattern);
      return (_args, environment, budget) => generate(generator, { environment, budget });
    },
  },
];

/** Takes the steps of compiling: each element of a list may bring another pattern. A longer one is refused unread. */
function spendOnCompiling(pattern: string, budget: StepBudget): Fault | undefined {
  return pattern.length > maxPattern ? undefined : spend(stepsOfTextGenerator(pattern), budget);
}

function generatorOf(pattern: Json): TextGenerator | Fault {
  const text = pattern as string;
  if (text === "") return new Fault("no pattern provided");
  if (text.length > maxPattern) return new Fault(`the pattern has more than ${maxPattern} characters`);
  return compileTextGenerator(text);
}

/** The steps of drawing a number, and the characters that are generated in the time of one. */
const stepsOfDraw = 5, charactersInStep = 2;

function generate(
  generator: TextGenerator | Fault,
  { environment, budget }: { readonly environment: Environment; readonly budget: StepBudget },
): string | Fault {
  if (generator instanceof Fault) return generator;
  const text = generator(() => {
    budget.left -= stepsOfDraw;
    return environment.random();
  });
  return spend(Math.floor(text.length / charactersInStep), budget) ?? text;
}

/** The notes of these functions. */
export const randomNotes: FunctionNotes = {
  random: {
    summary: "A random text that a regular expression matches.",
    examples: [
      { expression: "length(random('[a-z0-9]{6}'))", result: 6 },
      { expression: "regex_match('^ab+c$', random('ab+c'))", result: true },
    ],
  },
};
