/** The notes of a release are its section of the changelog. */
import assert from "node:assert/strict";
import { releaseNotes } from "../../release/notes.ts";
import { readVersion } from "../../release/source.ts";

const changelog = `# Changelog

## Unreleased

- A new thing,
  on two lines.

## 0.2.0 (2026-11-22)

### Changed

- Another.

## 0.1.0
`;

const found: [version: string, notes: string][] = [
  ["Unreleased", "- A new thing,\n  on two lines.\n"],
  ["0.2.0", "### Changed\n\n- Another.\n"],
];

Deno.test("the notes are the section of a version, without its heading", () => {
  for (const [version, notes] of found) assert.equal(releaseNotes(changelog, version), notes);
});

Deno.test("a version without a section, or with nothing in it, has no notes", () => {
  assert.throws(() => releaseNotes(changelog, "0.3.0"), /no section 0\.3\.0: it has Unreleased, 0\.2\.0/);
  assert.throws(() => releaseNotes(changelog, "0.2"), /no section 0\.2/);
  assert.throws(() => releaseNotes(changelog, "0.1.0"), /says nothing about 0\.1\.0/);
});

Deno.test("the changelog has notes for the version of deno.json", async () => {
  const text = await Deno.readTextFile(new URL("../../CHANGELOG.md", import.meta.url));
  assert.match(releaseNotes(text, await readVersion()), /^- /);
});
