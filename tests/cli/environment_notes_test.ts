/** The list of environment variables is that of the code. */
import assert from "node:assert/strict";
import { environmentNotes } from "../../lib/cli/environment_notes.ts";

/** Names that are read: the argument of a function that reads the environment or a bundle's settings. */
const read = /\b(?:environmentVariable|env|environment|settings|variable|get)\(\s*"([A-Z][A-Z0-9_]+)"\s*\)/g;

function namesIn(folder: URL): string[] {
  return [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory }) => {
    if (isDirectory) return namesIn(new URL(`${name}/`, folder));
    if (!name.endsWith(".ts")) return [];
    const text = Deno.readTextFileSync(new URL(name, folder));
    const names = [...text.matchAll(read)].map(([, found]) => found!);
    return text.includes("Deno.noColor") ? [...names, "NO_COLOR"] : names;
  });
}

Deno.test("each environment variable in the code has one note, and each note a variable", () => {
  const names = environmentNotes.map(({ name }) => name);
  assert.deepEqual(names.toSorted(), [...new Set(namesIn(new URL("../../lib/", import.meta.url)))].sort());
});
