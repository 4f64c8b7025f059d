import { relative } from "node:path";
import { FileChanges } from "./file_changes.ts";
import { interruptedCode, watchInterruption } from "./interruption.ts";
import type { Terminal } from "./terminal.ts";

/** The exit code of one run of a command, and the files that it read. */
export interface Watched {
  /** The exit code. */
  readonly code: number;
  /** Files and folders whose changes make the command run again. */
  readonly reads: readonly string[];
  /** Files that the command wrote. Their changes never start a run. */
  readonly writes: readonly string[];
}

/**
 * Runs a command now, and again whenever a file changes that it read, until Ctrl-C; the exit code is then that of an
 * interruption. After a change during a run, the command runs once more.
 */
export async function watching(work: () => Promise<Watched>, terminal: Terminal): Promise<number> {
  using interruption = watchInterruption();
  using changes = new FileChanges();
  while (!interruption.happened) {
    const { reads, writes } = await work();
    if (interruption.happened) break;
    changes.watch(reads, writes);
    terminal.err("watching for changes; Ctrl-C ends");
    const changed = await interruption.before(changes.next());
    if (changed !== undefined) terminal.err(`${changed.map(shown).join(", ")} changed\n`);
  }
  return interruptedCode;
}

/** The path relative to the working directory if it is below it. */
function shown(path: string): string {
  const below = relative(Deno.cwd(), path);
  return below.startsWith("..") ? path : below;
}
