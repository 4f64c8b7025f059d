/** The package that `deno publish` sends to JSR. */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

Deno.test("a dry run of deno publish accepts the package: the library, and nothing beside it", async () => {
  // Types are checked by `deno check`; what is checked here is what a registry asks beyond: explicit types, and no
  // foreign files.
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["publish", "--dry-run", "--allow-dirty", "--no-check"],
    cwd: root,
    env: { NO_COLOR: "1" },
  }).output();
  const text = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)).join("\n");
  assert(success, text);
  const files = [...text.matchAll(/file:\/\/(\S+) \(/g)].map(([, path]) => path!.slice(root.length));
  assert(files.length > 500, `only ${files.length} files`);
  const folders = new Set(files.map((path) => path.split("/")[0]!));
  assert.deepEqual([...folders].sort(), [
    "CHANGELOG.md",
    "LICENSE",
    "NOTICE",
    "README.md",
    "deno.json",
    "lib",
    "mod.ts",
  ]);
});
