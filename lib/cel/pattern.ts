import { RE2JS } from "re2js";
import { BoundedCache, CountedText, programSize } from "../json/mod.ts";
import { CelFault, failure } from "./fault.ts";
import { work } from "./work.ts";

/** Compiles the pattern of a call. */
export type PatternCompiler = (pattern: string) => RE2JS | CelFault;

/** Compiles an RE2 regular expression. Native ones are never used, because they can backtrack without end. */
export function compilePattern(pattern: string): RE2JS | CelFault {
  return compileOfSize(pattern, programSize(pattern));
}

function compileOfSize(pattern: string, size: number): RE2JS | CelFault {
  if (size > maxProgram) return tooLarge;
  try {
    return RE2JS.compile(pattern);
  } catch (cause) {
    // The library's messages are Go's: `error parsing regexp: …`.
    return failure(cause instanceof Error ? cause.message : String(cause));
  }
}

/** The most instructions of a pattern. */
const maxProgram = 50_000;

const tooLarge = failure(`the regular expression has more than ${maxProgram} instructions`);

/** As {@link compilePattern}, for a pattern of a request: its repetitions count as work. */
function compileRequestPattern(pattern: string): RE2JS | CelFault {
  const size = programSize(pattern);
  // Each character was counted as the effort of the call.
  const repeated = size - pattern.length;
  work(compilingPattern + (repeated > 0 && repeated < maxProgram ? compilingInstruction * repeated : 0));
  return compileOfSize(pattern, size);
}

/** Nanoseconds of making a pattern, and besides each instruction of it. */
const compilingPattern = 30_000, compilingInstruction = 3_000;

/**
 * The most instructions of all patterns that one call caches, which take up to a megabyte. Elements of a list, and
 * successive requests, often bring the same patterns.
 */
const maxCached = 10_000;

/** As {@link compileRequestPattern}, with a cache of the last patterns. */
function cachingCompiler(): PatternCompiler {
  const cached = new BoundedCache<RE2JS | CelFault>(maxCached, (_, pattern) => programSize(pattern));
  return (pattern) => cached.getOrMake(pattern, () => compileRequestPattern(pattern));
}

/** An implementation that compiles patterns of requests, each time or with a cache for one call in an expression. */
export function compiling<C>(
  implementation: (compile: PatternCompiler) => C,
): { readonly call: C; readonly forCall: () => C } {
  return { call: implementation(compileRequestPattern), forCall: () => implementation(cachingCompiler()) };
}

/** Whether the text is a pattern. */
export function isPattern(pattern: string): boolean {
  return !(compilePattern(pattern) instanceof CelFault);
}

/** Nanoseconds of reading a character again, and besides for each instruction of the pattern's program. */
const reading = 10, readingPerInstruction = 4;

/** Texts up to this length are read in no time, however often. */
const short = 1_000;

/**
 * The text for a search, which counts as work what is read more than once: the effort of a call stands for one reading.
 * A search for one match may read the text a second time, a search for all of them as often as it finds one.
 */
export function countedText(pattern: RE2JS, text: string): string {
  if (text.length <= short) return text;
  const nanoseconds = reading + readingPerInstruction * pattern.programSize();
  // The library takes such objects, which its types do not say.
  return new CountedText(text, () => work(nanoseconds)) as unknown as string;
}

/** Whether the pattern matches anywhere in the text. */
export function isFound(pattern: RE2JS, text: string): boolean {
  return pattern.test(countedText(pattern, text));
}

/** Whether the pattern is found anywhere in the text; a fault when it is not a pattern. */
export function matchesPattern(text: string, pattern: RE2JS | CelFault): boolean | CelFault {
  return pattern instanceof CelFault ? pattern : isFound(pattern, text);
}
