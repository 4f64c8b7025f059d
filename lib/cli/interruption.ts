/** Whether somebody pressed Ctrl-C. */
export interface Interruption extends Disposable {
  readonly happened: boolean;
}

/** The exit code of a command that was interrupted, as shells have it. */
export const interruptedCode = 130;

/**
 * Notes Ctrl-C until it is disposed of, so that a command can end in order. Pressed a second time it ends the process at
 * once.
 */
export function watchInterruption(): Interruption {
  let happened = false;
  const note = (): void => {
    if (happened) Deno.exit(interruptedCode);
    happened = true;
  };
  Deno.addSignalListener("SIGINT", note);
  return {
    get happened() {
      return happened;
    },
    [Symbol.dispose]: () => Deno.removeSignalListener("SIGINT", note),
  };
}
