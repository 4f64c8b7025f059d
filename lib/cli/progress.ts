import type { Terminal } from "./terminal.ts";

/** How far a command is, drawn on a terminal while it works. */
export interface ProgressBar {
  /** Bytes that were read, of how many, and what became of them in a few words. */
  update(bytes: number, of: number, about: string): void;
  /** Takes the drawing away, before something else is written; the next update draws it again. */
  clear(): void;
  close(): void;
}

/** What is used of cli-progress, which has no types of its own. */
interface ProgressLibrary {
  readonly Presets: { readonly shades_classic: object };
  readonly SingleBar: new (options: object, preset: object) => {
    start(total: number, value: number, payload: object): void;
    update(value: number, payload: object): void;
    stop(): void;
  };
}

/** Milliseconds after which a command is worth a drawing. */
const PATIENCE = 500;

/** A progress bar on standard error, where that is a terminal; elsewhere nothing is drawn. */
export async function openProgress({ drawsProgress = false }: Terminal): Promise<ProgressBar> {
  if (!drawsProgress) return { update: () => {}, clear: () => {}, close: () => {} };
  const { default: { Presets, SingleBar } } = await import("cli-progress") as { default: ProgressLibrary };
  const options = {
    format: "{bar} {percentage}% {about}",
    clearOnComplete: true,
    hideCursor: true,
    fps: 10,
    gracefulExit: false,
  };
  const bar = new SingleBar(options, Presets.shades_classic);
  const began = performance.now();
  let isDrawn = false;
  const clear = (): void => {
    if (isDrawn) Deno.stderr.writeSync(new TextEncoder().encode("\r\x1b[K"));
  };
  return {
    update(bytes, of, about) {
      if (performance.now() - began < PATIENCE || of === 0) return;
      if (!isDrawn) bar.start(of, bytes, { about });
      else bar.update(bytes, { about });
      isDrawn = true;
    },
    clear,
    close() {
      if (isDrawn) bar.stop();
      isDrawn = false;
    },
  };
}
