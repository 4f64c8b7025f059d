import assert from "node:assert/strict";
import type { Terminal } from "../../lib/cli/terminal.ts";

/** Compares a text with a golden file; with `UPDATE_GOLDEN` set the file is written instead, to be reviewed. */
export function golden(path: string, actual: string): void {
  if (Deno.env.get("UPDATE_GOLDEN") !== undefined) Deno.writeTextFileSync(path, `${actual}\n`);
  else assert.equal(`${actual}\n`, Deno.readTextFileSync(path));
}

/** A terminal that remembers what was written. */
export function heard(): { terminal: Terminal; out: () => string; err: () => string } {
  const lines = { out: [] as string[], err: [] as string[] };
  return {
    terminal: { out: (line) => void lines.out.push(line), err: (line) => void lines.err.push(line) },
    out: () => lines.out.join("\n"),
    err: () => lines.err.join("\n"),
  };
}
