/**
 * The documentation: the pages of `docs/` and pages made from tables, as a static site. VitePress makes it: its search
 * needs no service, its pages need no script to be read, and it refuses dead links. It is a program of Node.js, with
 * packages of its own that only this build installs.
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { colours, configuration, theme } from "./configuration.ts";
import { examplePages } from "./example_pages.ts";
import type { Page } from "./page.ts";
import { referencePages } from "./reference_pages.ts";
import { writtenPages } from "./written_pages.ts";

/** The generator: VitePress and its packages. */
const generator = fileURLToPath(new URL("generator", import.meta.url));

/** Builds the documentation into a folder. */
export async function buildDocs(out: string): Promise<void> {
  const pages = [...await writtenPages(), ...await examplePages(), ...await referencePages()];
  const stage = join(generator, ".pages");
  await Deno.remove(stage, { recursive: true }).catch(() => {});
  for (const page of pages) await write(join(stage, page.path), page.text);
  await copyPictures(stage);
  await write(join(stage, ".vitepress", "config.mjs"), configuration(pages));
  await write(join(stage, ".vitepress", "theme", "index.js"), theme);
  await write(join(stage, ".vitepress", "theme", "colours.css"), colours);
  if (!await isInstalled()) await run("npm", ["ci", "--no-fund", "--no-audit"]);
  await run("npx", ["vitepress", "build", stage, "--outDir", out]);
  // Modules of the stage import the generator's packages, which the repository's own check does not have.
  await Deno.remove(stage, { recursive: true });
}

/** Whether the packages are those of the lock file; npm notes what it installed. */
async function isInstalled(): Promise<boolean> {
  const modified = async (name: string): Promise<number> =>
    (await Deno.stat(join(generator, name)).catch(() => undefined))?.mtime?.getTime() ?? 0;
  return await modified("node_modules/.package-lock.json") > await modified("package-lock.json");
}

/** Copies the pictures that pages of `docs/` show, each where its page finds it. */
async function copyPictures(stage: string): Promise<void> {
  const docs = fileURLToPath(new URL("../../docs", import.meta.url));
  await Deno.mkdir(join(stage, "playground"), { recursive: true });
  for (const folder of ["", "playground"]) {
    for await (const { name } of Deno.readDir(join(docs, folder))) {
      if (/\.(svg|webp)$/.test(name)) {
        await Deno.copyFile(join(docs, folder, name), join(stage, folder, name));
      }
    }
  }
}

async function write(path: string, text: Page["text"]): Promise<void> {
  await Deno.mkdir(join(path, ".."), { recursive: true });
  await Deno.writeTextFile(path, text);
}

async function run(command: string, args: readonly string[]): Promise<void> {
  const { success, stdout, stderr } = await new Deno.Command(command, {
    args: [...args],
    cwd: generator,
    stdin: "null",
  })
    .output();
  if (success) return;
  const said = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)).join("\n");
  throw new Error(`${command} ${args.join(" ")} failed:\n${said}`);
}
