/**
 * Postern's entry: with arguments it runs a command, and its default export is the `fetch` handler for `deno serve` and
 * platforms that call one (see `deno task bundle` for a file that holds the policies too).
 *
 * @module
 */
import { run } from "./lib/cli/mod.ts";

if (import.meta.main) Deno.exit(await run(Deno.args));
