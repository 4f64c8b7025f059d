import { BoundedCache, isFault } from "../../json/mod.ts";
import { compileTextGenerator, stepsOfTextGenerator, type TextGenerator } from "../../kube/mod.ts";
import { type CelFault, failure, isCelFault } from "../fault.ts";
import { stringType } from "../types/mod.ts";
import type { ExternalCalls } from "../external_calls.ts";
import { work } from "../work.ts";
import {
  type ArgumentMistake,
  type CallArgument,
  type Library,
  type Overload,
  overload,
  type Result,
} from "./library.ts";

/** The most characters of a pattern. */
const maxPattern = 1_000;
const defaultPattern = "[0-9a-z]{8}";

function generatorOf(pattern: string): TextGenerator | CelFault {
  if (pattern.length > maxPattern) return failure(`the pattern has more than ${maxPattern} characters`);
  const compiled = compileTextGenerator(pattern);
  return isFault(compiled) ? failure(compiled.message) : compiled;
}

function generate(external: ExternalCalls, pattern: string): Result {
  return generated(external, generatorOf(pattern));
}

/** The nanoseconds of a step of compiling a pattern. */
const workOfStep = 50;

/** The nanoseconds of drawing a number, and of generating a character. */
const workOfDraw = 250, workOfGenerated = 25;

function generated(external: ExternalCalls, generator: TextGenerator | CelFault): Result {
  if (isCelFault(generator)) return generator;
  const text = generator(() => {
    work(workOfDraw);
    return external.random();
  });
  work(workOfGenerated * text.length);
  return text;
}

/** The most patterns for which one call caches generators. */
const maxCached = 8;

/**
 * Generates texts for one call in an expression. Compiling a pattern takes 200 times as long as generating a text
 * from it.
 */
function generating(): typeof generate {
  const cached = new BoundedCache<TextGenerator | CelFault>(maxCached);
  // A text of a request may have megabytes, and would stay in memory.
  const generatorFor = (pattern: string): TextGenerator | CelFault =>
    pattern.length > maxPattern ? generatorOf(pattern) : cached.getOrMake(pattern, () => {
      work(workOfStep * stepsOfTextGenerator(pattern));
      return generatorOf(pattern);
    });
  return (external, pattern) => generated(external, generatorFor(pattern));
}

/** Compiles a constant pattern at load, and reports an invalid one. */
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
    forCallOut: generating,
    check: mistake,
  }),
  overload({
    id: "random_string_default_expr",
    takes: [],
    gives: stringType,
    callOut: (external) => generate(external, defaultPattern),
    forCallOut: () => {
      const generate = generating();
      return (external) => generate(external, defaultPattern);
    },
  }),
];

/** `random()`, eight digits and letters, and `random(pattern)`; also as `random.random`. */
export const randomLibrary: Library = {
  name: "kyverno.random",
  functions: [{ name: "random", overloads }, { name: "random.random", overloads }],
};
