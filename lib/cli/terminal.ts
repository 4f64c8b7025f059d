import { fileProblem } from "../diagnostics/mod.ts";
/** The output of a command: one stream for results, another for everything else. */
export interface Terminal {
  /** Writes one or more lines of the result. */
  out(line: string): void;
  /** Writes a line that is not a result, such as a diagnostic. */
  err(line: string): void;
  /**
   * Writes lines with their breaks as `err` does, while the process goes on; absent where nothing can block a write.
   */
  errLater?(lines: Uint8Array): Promise<void>;
  /** Whether results may be coloured; absent means no. */
  readonly colours?: boolean;
  /** Whether standard error is a terminal, on which progress can be drawn; absent means no. */
  readonly drawsProgress?: boolean;
}

/** The command cannot write output any more, because the reader of a pipe ended or a disk is full. */
export class OutputClosed extends Error {
  /** Whether the reader of the pipe ended. That is no failure of this process. */
  readonly isPipe: boolean;

  /** @param path The file that cannot be written; without it the standard output. */
  constructor(cause: unknown, path?: string) {
    super(`cannot write${path === undefined ? "" : ` to ${path}`}: ${fileProblem(cause, "write")}`);
    this.isPipe = cause instanceof Deno.errors.BrokenPipe;
  }
}

/** The terminal of this process. */
export function processTerminal(): Terminal {
  const encoder = new TextEncoder();
  return {
    out: (line) => writeAll(Deno.stdout, encoder.encode(`${line}\n`)),
    err: (line) => writeAll(Deno.stderr, encoder.encode(`${line}\n`)),
    async errLater(lines) {
      for (let written = 0; written < lines.length;) {
        written += await Deno.stderr.write(lines.subarray(written));
      }
    },
    colours: !Deno.noColor && Deno.stdout.isTerminal(),
    drawsProgress: Deno.stderr.isTerminal(),
  };
}

function writeAll(stream: { writeSync(bytes: Uint8Array): number }, bytes: Uint8Array): void {
  try {
    for (let written = 0; written < bytes.length;) written += stream.writeSync(bytes.subarray(written));
  } catch (cause) {
    throw new OutputClosed(cause);
  }
}

/** Prints why a command cannot run and returns its exit code. */
export function unusable(problem: string, terminal: Terminal): number {
  terminal.err(`error: ${problem}`);
  return 2;
}
