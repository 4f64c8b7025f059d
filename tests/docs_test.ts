/** Every path that the repository's documents name exists. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname!, "..");
const pages = ["README.md", "CONTRIBUTING.md", "SECURITY.md"].concat(
  [...Deno.readDirSync(join(root, "docs"))].filter(({ name }) => name.endsWith(".md")).map(({ name }) =>
    `docs/${name}`
  ),
);

/**
 * Paths in backticks that begin with a folder of the repository; names with a placeholder or a wildcard are none. What
 * a task makes (`dist`) is not looked for.
 */
const paths = /`((?:lib|tests|docs|bin|image|release|site|policies)\/[\w./-]*)`/g;

for (const page of pages) {
  Deno.test(`each path in ${page} exists`, () => {
    const text = Deno.readTextFileSync(join(root, page));
    const named = new Set([...text.matchAll(paths)].map(([, path]) => path!));
    assert.deepEqual(
      [...named].filter((path) => !path.includes("/dist") && !existsSync(join(root, path))),
      [],
    );
  });
}
