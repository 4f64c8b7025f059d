/** Every code that a diagnostic can have is explained in `docs/diagnostics.md`, and no other. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { codeNotes } from "../../lib/diagnostics/mod.ts";

const root = join(import.meta.dirname!, "../..");
const explained = Object.values(codeNotes).flatMap((notes) => Object.keys(notes));

/** The texts of all sources below a folder, except the tables of codes. */
function sources(folder: string): string[] {
  return [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory }) => {
    const path = join(folder, name);
    if (isDirectory) return name === "codes" ? [] : sources(path);
    return name.endsWith(".ts") ? [Deno.readTextFileSync(path)] : [];
  });
}

// The type of a diagnostic's code allows only explained ones.
Deno.test("every explained code is one that a diagnostic can have, and is explained once", () => {
  const text = sources(join(root, "lib")).join("\n");
  assert.deepEqual(explained.filter((code) => !text.includes(`"${code}"`)), []);
  assert.equal(new Set(explained).size, explained.length);
});

Deno.test("docs/diagnostics.md contains the table of codes", async () => {
  const sections = Object.entries(codeNotes).flatMap(([heading, notes]) => [
    `## ${heading}`,
    ...Object.entries(notes).flatMap(([code, { cause, fix }]) => [`### ${code}`, `${cause} ${fix}`]),
  ]);
  const text = [
    "# Diagnostics",
    "What Postern says about policies, tests and other files, by code. A message has file, line and often a hint. Errors " +
    "take the rule or the document out of use (its requests get the answer of its failurePolicy) and reach the exit code " +
    "of commands; warnings do not. This page is made from `lib/diagnostics/codes`: " +
    "`UPDATE_GOLDEN=1 deno test -A tests/diagnostics/codes_test.ts`.",
    ...sections,
  ].join("\n\n") + "\n";
  const page = join(root, "docs/diagnostics.md");
  if (Deno.env.get("UPDATE_GOLDEN") === "1") await Deno.writeTextFile(page, text);
  assert.equal(await Deno.readTextFile(page), text);
});
