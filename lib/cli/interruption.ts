/** Whether somebody pressed Ctrl-C. */
export interface Interruption extends Disposable {
  readonly happened: boolean;
  /** Waits for the work, and returns nothing when the interruption comes first. */
  before<T>(work: Promise<T>): Promise<T | undefined>;
}

/** The exit code of a command that was interrupted, as shells have it. */
export const interruptedCode = 130;

/**
 * Listens for Ctrl-C until it is disposed of, so that a command can end in order. A second Ctrl-C ends the process at
 * once.
 */
export function watchInterruption(): Interruption {
  let happened = false;
  // Only the current wait is referenced: a race with one lasting promise would keep the memory of all earlier waits.
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
