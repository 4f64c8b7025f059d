/**
 * Builds the site into `site/dist`: `deno task site`. With `--serve` it also serves it on http://127.0.0.1:8080
 * (`--port`). A part of the site is a function in `parts` that writes a folder of the site.
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { stop } from "esbuild";
import { buildDocs } from "./docs/build.ts";
import { buildLibraryPages } from "./docs/library_pages.ts";
import { buildPlayground } from "./playground/build.ts";
import { serveFolder } from "./serve.ts";

/** The parts of the site, by their folders. The documentation has the folder itself, so it is first: it empties it. */
const parts: Readonly<Record<string, (out: string) => Promise<void>>> = {
  ".": buildDocs,
  api: buildLibraryPages,
  playground: buildPlayground,
};

const { values } = parseArgs({
  options: {
    out: { type: "string", default: fileURLToPath(new URL("dist", import.meta.url)) },
    serve: { type: "boolean", default: false },
    port: { type: "string", default: "8080" },
  },
});

await Deno.mkdir(values.out, { recursive: true });
for (const [name, build] of Object.entries(parts)) await build(join(values.out, name));
await stop();
if (values.serve) {
  const { url } = serveFolder(values.out, Number(values.port));
  Deno.stdout.writeSync(new TextEncoder().encode(`${url}/playground/\n`));
}
