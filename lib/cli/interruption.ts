/** Whether somebody pressed Ctrl-C. */
export interface Interruption extends Disposable {
  readonly happened: boolean;
  /** Waits for the work, and returns nothing when the interruption comes first. */
  before<T>(work: Promise<T>): Promise<T | undefined>;
}

/** The exit code of an interrupted command in shells. */
export const interruptedCode = 130;

/**
 * Listens for Ctrl-C until the caller disposes of it, so that a command can end in an orderly way. A second Ctrl-C ends
 * the process at once.
 */
export function watchInterruption(): Interruption {
  let happened = false;
  // Refers only to the current wait: a race with one lasting promise would keep the memory of all earlier waits.
  let interrupt = (): void => {};
  const note = (): void => {
    if (happened) Deno.exit(interruptedCode);
    happened = true;
    interrupt();
  };
  Deno.addSignalListener("SIGINT", note);
  return {
    before: (work) =>
      new Promise((resolve, reject) => {
        interrupt = () => resolve(undefined);
        work.then(resolve, reject);
      }),
    get happened() {
      return happened;
    },
    [Symbol.dispose]: () => Deno.removeSignalListener("SIGINT", note),
  };
}
