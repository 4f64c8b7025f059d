/** Every code that a diagnostic can have is explained in `docs/diagnostics.md`, and no other. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { codeNotes } from "../../lib/diagnostics/mod.ts";

const root = join(import.meta.dirname!, "../..");
const explained = Object.values(codeNotes).flatMap((notes) => Object.keys(notes));

function codesIn(folder: string): Set<string> {
  const codes = new Set<string>();
  for (const entry of Deno.readDirSync(folder)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory) { for (const code of codesIn(path)) codes.add(code); }
    else if (entry.name.endsWith(".ts")) {
      const text = Deno.readTextFileSync(path);
      for (const [, code] of text.matchAll(/(?:\bcode: |\breport\(\s*)"([a-z]+(?:-[a-z]+)*)"/g)) {
        codes.add(code!);
      }
    }
  }
  return codes;
}

Deno.test("every code of a diagnostic is explained once", () => {
  const used = codesIn(join(root, "lib"));
  assert.deepEqual([...used].filter((code) => !explained.includes(code)).sort(), []);
  assert.deepEqual(explained.filter((code) => !used.has(code)).sort(), []);
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
    "of commands; warnings do not. This page is made from `lib/diagnostics/codes.ts`: " +
    "`UPDATE_GOLDEN=1 deno test -A tests/diagnostics/codes_test.ts`.",
    ...sections,
  ].join("\n\n") + "\n";
  const page = join(root, "docs/diagnostics.md");
  if (Deno.env.get("UPDATE_GOLDEN") === "1") await Deno.writeTextFile(page, text);
  assert.equal(await Deno.readTextFile(page), text);
});
