import { fileProblem } from "../diagnostics/mod.ts";
/** Where a command writes: results to one stream, everything else to the other. */
export interface Terminal {
  /** A line of the result, or several. */
  out(line: string): void;
  /** A line about what is going on. */
  err(line: string): void;
  /** Whether results may be coloured; absent means no. */
  readonly colours?: boolean;
  /** Whether standard error is a terminal, on which progress can be drawn; absent means no. */
  readonly drawsProgress?: boolean;
}

/** Output that cannot be written any more, because the reader of a pipe ended or a disk is full. */
export class OutputClosed extends Error {
  /** Whether the reader ended, which is no failure of this process. */
  readonly isPipe: boolean;

  constructor(cause: unknown) {
    super(fileProblem(cause, "write"));
    this.isPipe = cause instanceof Deno.errors.BrokenPipe;
  }
}

/** The terminal of this process. */
export function processTerminal(): Terminal {
  const encoder = new TextEncoder();
  return {
    out: (line) => writeAll(Deno.stdout, encoder.encode(`${line}\n`)),
    err: (line) => writeAll(Deno.stderr, encoder.encode(`${line}\n`)),
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

/** Says why a command cannot run; its exit code. */
export function unusable(problem: string, terminal: Terminal): number {
  terminal.err(`error: ${problem}`);
  return 2;
}
