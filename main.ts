/**
 * Postern's entry: runs the command that its arguments name. What `deno serve` and edge platforms import is the file
 * that `deno task bundle` writes, which holds the policies too.
 *
 * @module
 */
import { run } from "./lib/cli/mod.ts";

if (import.meta.main) {
  enterInitialFolder();
  Deno.exit(await run(Deno.args));
}

/**
 * `deno task` starts commands in the project's folder and says in `INIT_CWD` where the user stands: paths start there.
 */
function enterInitialFolder(): void {
  if (Deno.permissions.querySync({ name: "env", variable: "INIT_CWD" }).state !== "granted") return;
  const folder = Deno.env.get("INIT_CWD");
  try {
    if (folder !== undefined && Deno.cwd() === import.meta.dirname) Deno.chdir(folder);
  } catch {
    // Where the folder cannot be entered, paths start where the process does.
  }
}
