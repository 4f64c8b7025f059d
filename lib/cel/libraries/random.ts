import { BoundedCache, isFault } from "../../json/mod.ts";
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
const defaultPattern = "[0-9a-z]{8}";

/** Compiled generators by pattern. Policies' own are read often and stay; those from resources are evicted. */
const generators = new BoundedCache<TextGenerator | CelFault>(200);

function generatorOf(pattern: string): TextGenerator | CelFault {
  return generators.getOrMake(pattern, () => {
    if (pattern.length > maxPattern) return failure(`the pattern has more than ${maxPattern} characters`);
    const compiled = compileTextGenerator(pattern);
    return isFault(compiled) ? failure(compiled.message) : compiled;
  });
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
