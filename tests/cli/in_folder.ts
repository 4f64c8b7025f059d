import { join } from "node:path";
import { run } from "../../lib/cli/mod.ts";
import { heard } from "./golden.ts";

/** The exit code and the output of a command line, without the path of its folder. */
export interface CommandRun {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command line in which `@name` stands for a file of the folder. */
export type RunInFolder = (...args: string[]) => Promise<CommandRun>;

/** Runs commands on files in a folder of their own. */
export async function inFolder(
  files: Readonly<Record<string, string>>,
  work: (run: RunInFolder, folder: string) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "postern-test-" });
  try {
    for (const [name, text] of Object.entries(files)) await Deno.writeTextFile(join(folder, name), text);
    await work(async (...args) => {
      const { terminal, out, err } = heard();
      const code = await run(
        args.map((arg) => arg.replaceAll(/@([\w./-]*)/g, (_, name) => join(folder, name))),
        terminal,
      );
      return { code, out: out().replaceAll(`${folder}/`, ""), err: err().replaceAll(`${folder}/`, "") };
    }, folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
