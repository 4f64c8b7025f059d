/**
 * Postern's entry: runs the command that its arguments name. What `deno serve` and edge platforms import is the file that
 * `deno task bundle` writes, which holds the policies too.
 *
 * @module
 */
import { run } from "./lib/cli/mod.ts";

if (import.meta.main) Deno.exit(await run(Deno.args));
