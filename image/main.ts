/**
 * The entry of the bundle that the image holds: as main.ts, without what CommonJS lacks.
 *
 * @module
 */
import { run } from "../lib/cli/mod.ts";

void run(Deno.args).then((code) => Deno.exit(code));
