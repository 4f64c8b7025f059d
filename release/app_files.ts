import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Dockerfile } from "./dockerfile.ts";
import { output } from "./process.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

/** What the image's own files are made with. */
export interface AppFilesOptions {
  readonly dockerfile: Dockerfile;
  /** The program that compiles the code cache: the image's. `undefined` leaves the cache out, and a start compiles the text. */
  readonly deno: string | undefined;
}

/** Writes the files of the image's folder `/app` into a folder, as the Dockerfile does. Returns their names. */
export async function makeAppFiles(
  folder: string,
  { dockerfile, deno }: AppFilesOptions,
): Promise<readonly string[]> {
  const bundle = ["--quiet", "--minify", "--format", "cjs", "--output", join(folder, "engine.cjs")];
  await output(Deno.execPath(), ["bundle", ...bundle, "image/main.ts"], { cwd: root });
  for (const name of ["engine.js", "postern.js", "code_cache.js"]) {
    await Deno.copyFile(join(root, "image", name), join(folder, name));
  }
  const files = ["engine.cjs", "engine.js", "postern.js"];
  if (deno === undefined) return files;
  const { DENO_V8_FLAGS = "" } = dockerfile.env;
  const args = ["run", "--no-code-cache", "--allow-read", "--allow-write", join(folder, "code_cache.js")];
  await output(deno, args, { env: { DENO_V8_FLAGS } });
  return [...files, "engine.cache"];
}
