import { fileURLToPath } from "node:url";
import { output } from "./process.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

/** The version and the commit from which a release is made. */
export interface Source {
  readonly version: string;
  /** The commit, with `-dirty` behind it when the work tree differs from it. */
  readonly revision: string;
  /** The date of the commit. All released files have it, so that a later build gives the same bytes. */
  readonly date: Date;
}

/** Reads the version from `deno.json`, the only file that has it. */
export async function readVersion(): Promise<string> {
  const { version } = JSON.parse(await Deno.readTextFile(`${root}deno.json`)) as { readonly version: string };
  return version;
}

/** Reads the commit of the work tree. `SOURCE_DATE_EPOCH` (seconds) replaces its date. */
export async function readSource(): Promise<Source> {
  const git = async (...args: string[]): Promise<string> => (await output("git", args, { cwd: root })).trim();
  const seconds = Deno.env.get("SOURCE_DATE_EPOCH") ?? await git("log", "-1", "--format=%ct");
  const isDirty = await git("status", "--porcelain", "--untracked-files=no") !== "";
  return {
    version: await readVersion(),
    revision: await git("rev-parse", "HEAD") + (isDirty ? "-dirty" : ""),
    date: new Date(Number(seconds) * 1_000),
  };
}
