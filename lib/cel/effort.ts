/** Arguments of a call, evaluated or constant. */
type Arguments = readonly unknown[];

/**
 * Makes the effort of a call that takes so many nanoseconds for each character of one argument, by default the first.
 */
export function readingEffort(nanoseconds: number, argument = 0): (args: Arguments) => number {
  return (args) => {
    const text = args[argument];
    return typeof text === "string" ? nanoseconds * text.length : 0;
  };
}

/** The effort of a call that leaves the expression: its texts become parts of a path or a request. */
export function callingEffort(args: Arguments): number {
  let effort = 0;
  for (const argument of args) if (typeof argument === "string") effort += 150 * argument.length;
  return effort;
}

const compiling = readingEffort(1_500, 1), matching = readingEffort(500);

/** The effort of compiling the pattern that is the second argument of a call, unless that was done at load. */
export function compilingEffort(args: Arguments, constants: Arguments): number {
  return constants[1] === undefined ? compiling(args) : 0;
}

/**
 * As {@link compilingEffort}, for a call that looks for all matches in its first argument: each character may be one.
 */
export function matchingEffort(args: Arguments, constants: Arguments): number {
  return compilingEffort(args, constants) + matching(args);
}
