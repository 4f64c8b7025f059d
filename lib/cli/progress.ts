import type { Terminal } from "./terminal.ts";

/** How far a command is, drawn on a terminal while it works. */
export interface ProgressBar {
  /** Bytes that were read, of how many, and what became of them in a few words. */
  update(bytes: number, of: number, about: string): void;
  /** Takes the drawing away, before something else is written; the next update draws it again. */
  clear(): void;
  close(): void;
}

/** The part of cli-progress that is used here. The package has no types. */
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
  /** Milliseconds after which a command is worth a drawing. */
  readonly showAfterMs?: number;
  /** Milliseconds between two drawings. */
  readonly interval?: number;
}

/** A progress bar on standard error, where that is a terminal; elsewhere nothing is drawn. */
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
    // Only updates draw: between them a line of results may stand where a timer would draw.
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
 * A terminal of one line for cli-progress. Its own one switches line breaks off, which cuts results, and takes the cursor back
 * to where it was at the start, over results that were printed since.
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
    // A terminal that went away shows no progress.
  }
}

function terminalColumns(): number {
  try {
    return Deno.consoleSize().columns;
  } catch {
    return 80;
  }
}
