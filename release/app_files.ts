import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Dockerfile } from "./dockerfile.ts";
import { output } from "./process.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

/** The Dockerfile whose lines make the files, and the program that runs them. */
export interface AppFilesOptions {
  readonly dockerfile: Dockerfile;
  /**
   * The folder of the image's program `deno`, if this machine can run it. Without it there are no code caches, which
   * only that program can make.
   */
  readonly deno: string | undefined;
}

/**
 * Makes the files of the image's folder `/app` in another folder, by running the lines of the Dockerfile's first stage
 * there. Returns the names of the files that the last stage copies.
 */
export async function makeAppFiles(
  folder: string,
  { dockerfile, deno }: AppFilesOptions,
): Promise<readonly string[]> {
  const path = [deno ?? [], Deno.env.get("PATH") ?? ""].flat().join(":");
  for (const [name, text] of dockerfile.build) {
    const isOfSystem = text.includes("/runtime"),
      isCache = name === "RUN" &&
        /deno run .*(?:called_functions|code_cache|runtime_modules)\.js/s.test(text);
    if (isOfSystem || isCache && deno === undefined) continue;
    if (name === "RUN") await output("sh", ["-ec", text], { cwd: folder, env: { PATH: path } });
    else await copy(text.split(/\s+/), folder);
  }
  const { appFiles } = dockerfile;
  return deno === undefined ? appFiles.filter((name) => !ofV8.test(name)) : appFiles;
}

/** Matches the files with code caches. */
const ofV8 = /^(?:engine\.cache$|compiled\/)/;

/** Copies the sources of a `COPY` line into the folder that stands for the image's. */
async function copy(names: readonly string[], folder: string): Promise<void> {
  const [target, ...sources] = names.toReversed();
  const to = join(folder, target!);
  await Deno.mkdir(target!.endsWith("/") ? to : join(to, ".."), { recursive: true });
  await output("cp", ["-r", ...sources.map((name) => join(root, name)), to]);
}
