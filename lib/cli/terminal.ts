import { fileProblem } from "../diagnostics/mod.ts";
import { withoutCommands } from "./workflow_commands.ts";

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
  const writer = (stream: typeof Deno.stdout | typeof Deno.stderr) => {
    const isShown = stream.isTerminal();
    return (line: string) => writeAll(stream, encoder.encode(`${isShown ? shownText(line) : line}\n`));
  };
  const err = writer(Deno.stderr);
  return {
    out: writer(Deno.stdout),
    // Pipelines read commands from standard error, too. Postern writes its own to standard output alone.
    err: (line) => err(withoutCommands(line)),
    async errLater(lines) {
      for (let written = 0; written < lines.length;) {
        written += await Deno.stderr.write(lines.subarray(written));
      }
    },
    colours: !Deno.noColor && Deno.stdout.isTerminal(),
    drawsProgress: Deno.stderr.isTerminal(),
  };
}

/**
 * The characters on which a terminal acts, or that change the order in which a line is shown, but for line breaks, tabs
 * and the colours of tables.
 */
const acting =
  // deno-lint-ignore no-control-regex
  /\x1b(?!\[(?:1|22|3[12369])m)|\r(?!\n)|[\0-\b\v\f\x0e-\x1a\x1c-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g;

/**
 * A text as a terminal shows it: messages quote objects, whose authors could clear the screen or write other results
 * over those that are shown. Files and pipes get the text as it is.
 */
export function shownText(text: string): string {
  return text.replace(acting, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
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
