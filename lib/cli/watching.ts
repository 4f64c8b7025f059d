import type { Terminal } from "./terminal.ts";
import { interruptedCode } from "./interruption.ts";

/** Milliseconds in which changes of files are one change: editors write in several steps. */
const BURST = 200;

/** Runs something now and whenever files of folders change, until Ctrl-C; the exit code is then that of an interruption. */
export async function watching(
  folders: readonly string[],
  terminal: Terminal,
  work: () => Promise<number>,
): Promise<number> {
  await work();
  using watcher = Deno.watchFs([...folders]);
  const stop = (): void => watcher.close();
  Deno.addSignalListener("SIGINT", stop);
  try {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let running: Promise<unknown> = Promise.resolve();
    terminal.err("watching for changes; Ctrl-C ends");
    for await (const { kind } of watcher) {
      if (kind === "access") continue;
      clearTimeout(timer);
      timer = setTimeout(() => running = running.then(work), BURST);
    }
    clearTimeout(timer);
    await running;
  } finally {
    Deno.removeSignalListener("SIGINT", stop);
  }
  return interruptedCode;
}
