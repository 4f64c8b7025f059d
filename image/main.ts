/**
 * The entry of the image's bundle. It is `main.ts` for CommonJS, which has neither `import.meta` nor top-level
 * `await`. It refuses `fix`, because that command writes files and the image may write none.
 *
 * @module
 */
import { run } from "../lib/cli/mod.ts";

if (Deno.args[0] === "fix") {
  const message =
    "the image has no fix, because it may not write files: run fix from the repository, on your policies\n";
  Deno.stderr.writeSync(new TextEncoder().encode(message));
  Deno.exit(2);
}
void run(Deno.args).then((code) => Deno.exit(code));
