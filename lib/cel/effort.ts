/** Arguments of a call, evaluated or constant. */
type Arguments = readonly unknown[];

/**
 * Returns the effort of a call, in nanoseconds: `nanoseconds` for each character of one argument, by default the first,
 * and `besides` for the call itself.
 */
export function readingEffort(nanoseconds: number, argument = 0, besides = 0): (args: Arguments) => number {
  return (args) => {
    const text = args[argument];
    return typeof text === "string" ? besides + nanoseconds * text.length : besides;
  };
}

/** The effort of a call that leaves the expression: its texts become parts of a path or a request. */
export function callingEffort(args: Arguments): number {
  let effort = 0;
  for (const argument of args) if (typeof argument === "string") effort += 150 * argument.length;
  return effort;
}

/** A longer text is looked for in time that grows with both texts. */
const quicklyFound = 32;

/** The effort of looking for the second argument in the first. */
export function searchingEffort([text, part]: Arguments): number {
  return typeof text === "string" && typeof part === "string" && part.length > quicklyFound
    ? 25 * (text.length + part.length)
    : 0;
}

const compiling = readingEffort(1_500, 1), running = readingEffort(25), matching = readingEffort(500);

/**
 * The effort of looking for a match in the first argument, and of compiling the pattern that is the second one, unless
 * that was done at load.
 */
export function compilingEffort(args: Arguments, constants: Arguments): number {
  return running(args) + (constants[1] === undefined ? compiling(args) : 0);
}

/**
 * As {@link compilingEffort}, for a call that looks for all matches in its first argument: each character may be one.
 */
export function matchingEffort(args: Arguments, constants: Arguments): number {
  return compilingEffort(args, constants) + matching(args);
}
