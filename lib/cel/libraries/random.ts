import { isFault } from "../../json/mod.ts";
import { compileTextGenerator, type TextGenerator } from "../../kube/mod.ts";
import { type CelFault, failure, isCelFault } from "../fault.ts";
import { stringType } from "../types/mod.ts";
import type { ExternalCalls } from "../external_calls.ts";
import {
  type ArgumentMistake,
  type CallArgument,
  type Library,
  type Overload,
  overload,
  type Result,
} from "./library.ts";

/** The longest pattern that is accepted. */
const maxPattern = 1_000;
const maxGenerators = 200;
const defaultPattern = "[0-9a-z]{8}";

/** Compiled generators by pattern. Those of policies stay in the cache, those from resources are evicted. */
const generators = new Map<string, TextGenerator | CelFault>();

function generatorOf(pattern: string): TextGenerator | CelFault {
  const known = generators.get(pattern);
  if (known !== undefined) return known;
  const compiled = pattern.length > maxPattern
    ? failure(`the pattern has more than ${maxPattern} characters`)
    : compileTextGenerator(pattern);
  const generator = isFault(compiled) && !isCelFault(compiled) ? failure(compiled.message) : compiled;
  if (generators.size >= maxGenerators) generators.clear();
  generators.set(pattern, generator as TextGenerator | CelFault);
  return generator as TextGenerator | CelFault;
}

function generate(external: ExternalCalls, pattern: string): Result {
  const generator = generatorOf(pattern);
  return isCelFault(generator) ? generator : generator(() => external.random());
}

/** Compiles a constant pattern when the expression is loaded, and refuses one that is none. */
function mistake([pattern]: readonly CallArgument[]): ArgumentMistake | undefined {
  if (typeof pattern?.value !== "string") return undefined;
  const generator = generatorOf(pattern.value);
  return isCelFault(generator) ? { offset: pattern.offset, message: generator.message } : undefined;
}

const overloads: readonly Overload[] = [
  overload({
    id: "random_string",
    takes: [stringType],
    gives: stringType,
    callOut: generate,
    check: mistake,
  }),
  overload({
    id: "random_string_default_expr",
    takes: [],
    gives: stringType,
    callOut: (external) => generate(external, defaultPattern),
  }),
];

/** `random()`, eight digits and letters, and `random(pattern)`; also as `random.random`. */
export const randomLibrary: Library = {
  name: "kyverno.random",
  functions: [{ name: "random", overloads }, { name: "random.random", overloads }],
};
