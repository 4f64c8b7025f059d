/** Where a command writes: results to one stream, everything else to the other. */
export interface Terminal {
  /** A line of the result. */
  out(line: string): void;
  /** A line about what is going on. */
  err(line: string): void;
  /** Whether results may be coloured; absent means no. */
  readonly colours?: boolean;
}

/** The terminal of this process. */
export function processTerminal(): Terminal {
  const encoder = new TextEncoder();
  return {
    out: (line) => writeAll(Deno.stdout, encoder.encode(`${line}\n`)),
    err: (line) => writeAll(Deno.stderr, encoder.encode(`${line}\n`)),
    colours: !Deno.noColor && Deno.stdout.isTerminal(),
  };
}

function writeAll(stream: { writeSync(bytes: Uint8Array): number }, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length;) written += stream.writeSync(bytes.subarray(written));
}
