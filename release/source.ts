import { fileURLToPath } from "node:url";
import { output } from "./process.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

/** What a release is made from. */
export interface Source {
  readonly version: string;
  /** The commit; `-dirty` follows it when files of the work tree differ. */
  readonly revision: string;
  /** When the commit was made: what is released is as old, so that it is the same whenever it is made. */
  readonly date: Date;
}

/** The version in `deno.json`: the one place that says it. */
export async function readVersion(): Promise<string> {
  const { version } = JSON.parse(await Deno.readTextFile(`${root}deno.json`)) as { readonly version: string };
  return version;
}

/** The commit that the work tree is at. `SOURCE_DATE_EPOCH` (seconds) replaces its date. */
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
