/** The nanoseconds in which a character of a pattern is compiled. */
const compiledIn = 1_500;

/** The work of compiling the pattern that is the second argument of a call, unless that was done at load. */
export function compilingEffort([, pattern]: readonly unknown[], [, constant]: readonly unknown[]): number {
  return typeof pattern === "string" && constant === undefined ? compiledIn * pattern.length : 0;
}

/** The nanoseconds for a match in a text, where each character may be one. */
const matchedIn = 500;

/** As {@link compilingEffort}, for a call that looks for all matches in its first argument. */
export function matchingEffort(args: readonly unknown[], constants: readonly unknown[]): number {
  const [text] = args;
  return compilingEffort(args, constants) + (typeof text === "string" ? matchedIn * text.length : 0);
}
