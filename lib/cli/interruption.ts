/** Whether somebody pressed Ctrl-C. */
export interface Interruption extends Disposable {
  readonly happened: boolean;
  /** Resolves when it happens. */
  readonly occurrence: Promise<void>;
}

/** The exit code of a command that was interrupted, as shells have it. */
export const interruptedCode = 130;

/**
 * Notes Ctrl-C until it is disposed of, so that a command can end in order. Pressed a second time it ends the process at
 * once.
 */
export function watchInterruption(): Interruption {
  let happened = false;
  const { promise: occurrence, resolve } = Promise.withResolvers<void>();
  const note = (): void => {
    if (happened) Deno.exit(interruptedCode);
    happened = true;
    resolve();
  };
  Deno.addSignalListener("SIGINT", note);
  return {
    occurrence,
    get happened() {
      return happened;
    },
    [Symbol.dispose]: () => Deno.removeSignalListener("SIGINT", note),
  };
}
