/** One place says the version, and what users copy from the documentation has the same. */
import assert from "node:assert/strict";
import { readVersion } from "../../release/source.ts";

const root = new URL("../../", import.meta.url);
const files = [
  "README.md",
  "Dockerfile",
  "deploy.yaml",
  "docs/getting-started.md",
  "docs/library.md",
  "docs/operations.md",
];

Deno.test("each mention of the image and of the package has the version of deno.json", async () => {
  const version = await readVersion();
  assert.match(version, /^\d+\.\d+\.\d+(-[\w.]+)?$/);
  let mentions = 0;
  for (const file of files) {
    const text = await Deno.readTextFile(new URL(file, root));
    for (const [, found] of text.matchAll(/\bpostern(?:[:@]|-postern-)(\d+\.\d+\.\d+(?:-\w+)?)/g)) {
      assert.equal(found, version, file);
      mentions++;
    }
  }
  assert(mentions > 3, `only ${mentions} mentions`);
});

Deno.test("no source but deno.json has the version", async () => {
  const version = await readVersion();
  const found: string[] = [];
  const look = async (folder: URL): Promise<void> => {
    for await (const { name, isDirectory } of Deno.readDir(folder)) {
      if (isDirectory) await look(new URL(`${name}/`, folder));
      else if (name.endsWith(".ts")) {
        const text = await Deno.readTextFile(new URL(name, folder));
        if (text.includes(`"${version}"`) || text.includes(`postern:${version}`)) found.push(name);
      }
    }
  };
  for (const folder of ["lib/", "image/", "release/"]) await look(new URL(folder, root));
  assert.deepEqual(found, []);
});
