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
  /** Files that the command wrote; they start nothing, wherever they are. */
  readonly writes: readonly string[];
}

/**
 * Runs a command now and whenever a file changes that it read, until Ctrl-C; the exit code is then that of an
 * interruption. A change while the command runs makes it run once more.
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

/** A path as the user would write it. */
function shown(path: string): string {
  const below = relative(Deno.cwd(), path);
  return below.startsWith("..") ? path : below;
}
