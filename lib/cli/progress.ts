import type { Terminal } from "./terminal.ts";

/** Draws the progress of a command on a terminal. */
export interface ProgressBar {
  /** Shows the bytes read so far, their total, and a few words about the results. */
  update(bytes: number, of: number, about: string): void;
  /** Removes the bar before the command writes other text; the next update draws it again. */
  clear(): void;
  close(): void;
}

/** The part of cli-progress that this file uses. The package has no types. */
interface ProgressLibrary {
  readonly Presets: { readonly shades_classic: object };
  readonly SingleBar: new (options: object, preset: object) => {
    start(total: number, value: number, payload: object): void;
    update(value: number, payload: object): void;
    render(): void;
    stop(): void;
  };
}

/** The output, the width and the delay of a progress bar; by default those of this process's standard error. */
export interface ProgressOptions {
  readonly write?: (text: string) => void;
  /** Columns of the terminal. */
  readonly columns?: () => number;
  /** Milliseconds that a command must run before the bar appears. */
  readonly showAfterMs?: number;
  /** The least milliseconds between two drawings. */
  readonly interval?: number;
}

/** Opens a progress bar on standard error. It draws nothing if standard error is no terminal. */
export async function openProgress(
  { drawsProgress = false }: Terminal,
  { write = writeError, columns = terminalColumns, showAfterMs = 500, interval = 100 }: ProgressOptions = {},
): Promise<ProgressBar> {
  if (!drawsProgress) return { update: () => {}, clear: () => {}, close: () => {} };
  const { default: { Presets, SingleBar } } = await import("cli-progress") as { default: ProgressLibrary };
  const options = {
    format: "{bar} {percentage}% {about}",
    barsize: Math.max(5, Math.min(40, columns() - 40)),
    clearOnComplete: true,
    gracefulExit: false,
    hideCursor: false,
    // Effectively disables the library's timer: it could draw over a line of results. Only updates draw.
    fps: 0.001,
    synchronousUpdate: false,
    forceRedraw: true,
    terminal: oneLine(write, columns),
  };
  const bar = new SingleBar(options, Presets.shades_classic);
  const began = performance.now();
  let isStarted = false, isShown = false, drawn = -Infinity;
  return {
    update(bytes, of, about) {
      const now = performance.now();
      if (of === 0 || now - began < showAfterMs || (isShown && now - drawn < interval)) return;
      if (isStarted) bar.update(bytes, { about });
      else bar.start(of, bytes, { about });
      bar.render();
      [isStarted, isShown, drawn] = [true, true, now];
    },
    clear() {
      if (isShown) write("\r\x1b[K");
      isShown = false;
    },
    close() {
      if (isStarted) bar.stop();
      [isStarted, isShown] = [false, false];
    },
  };
}

/**
 * A terminal of one line for cli-progress. The library's terminal switches line wrapping off, which cuts results, and
 * it moves the cursor back to its first position, over results that the command has printed since.
 */
function oneLine(write: (text: string) => void, columns: () => number): object {
  const nothing = (): void => {};
  return {
    isTTY: () => true,
    getWidth: columns,
    cursorSave: nothing,
    cursorRestore: nothing,
    cursor: nothing,
    lineWrapping: nothing,
    cursorTo: () => write("\r"),
    clearRight: () => write("\x1b[K"),
    clearLine: () => write("\x1b[2K"),
    newline: () => write("\n"),
    write: (text: string) => write(text.slice(0, columns() - 1)),
  };
}

function writeError(text: string): void {
  try {
    Deno.stderr.writeSync(new TextEncoder().encode(text));
  } catch {
    // A closed terminal shows no progress.
  }
}

function terminalColumns(): number {
  try {
    return Deno.consoleSize().columns;
  } catch {
    return 80;
  }
}
