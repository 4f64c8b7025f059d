import { fetchTrustedRoot } from "../registries/mod.ts";
import { isFault, withoutEnding } from "../json/mod.ts";
import type { Terminal } from "./terminal.ts";

/** The options of `trust update`. */
export interface UpdateTrustArguments {
  readonly mirror?: string;
  readonly root?: string;
  readonly out: string;
}

/**
 * `trust update`: fetches a trusted root and writes it to a file. Exit code 2 when it cannot fetch or write it. An
 * existing file stays unchanged until the fetch succeeds.
 */
export async function updateTrust(
  { mirror, root, out }: UpdateTrustArguments,
  terminal: Terminal,
): Promise<number> {
  let folder: string | undefined;
  try {
    folder = await Deno.makeTempDir({ prefix: "postern-trust-" });
    const text = await fetchTrustedRoot({
      folder,
      ...(mirror !== undefined && { mirror: withoutEnding(mirror, "/") }),
      ...(root !== undefined && { root }),
    });
    if (isFault(text)) return refuse(text.message, terminal);
    await Deno.writeTextFile(out, text);
    terminal.out(`${out}: name it with --trusted-root`);
    return 0;
  } catch (cause) {
    return refuse(cause instanceof Error ? cause.message : String(cause), terminal);
  } finally {
    if (folder !== undefined) await Deno.remove(folder, { recursive: true }).catch(() => {});
  }
}

function refuse(problem: string, terminal: Terminal): number {
  terminal.err(`error: ${problem}`);
  return 2;
}
