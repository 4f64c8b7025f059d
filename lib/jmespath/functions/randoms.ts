import { Fault, type Json } from "../../json/mod.ts";
import { compileTextGenerator, type TextGenerator } from "../../kube/mod.ts";
import type { Environment } from "../plan/value.ts";
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
    apply: ([pattern], environment) => generate(generatorOf(pattern!), environment),
    prepare: ([pattern]) => {
      if (typeof pattern !== "string") return undefined;
      const generator = generatorOf(pattern);
      return (_args, environment) => generate(generator, environment);
    },
  },
];

function generatorOf(pattern: Json): TextGenerator | Fault {
  const text = pattern as string;
  if (text === "") return new Fault("no pattern provided");
  if (text.length > maxPattern) return new Fault(`the pattern has more than ${maxPattern} characters`);
  return compileTextGenerator(text);
}

function generate(generator: TextGenerator | Fault, { random }: Environment): string | Fault {
  return generator instanceof Fault ? generator : generator(random);
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
