/** Files of policies that are too large are refused before YAML builds them, and leave the others in force. */
import assert from "node:assert/strict";
import { loadDocuments } from "../../lib/sources/mod.ts";
import { withFolder } from "../support/folder.ts";

async function loaded(files: Readonly<Record<string, string>>) {
  return await withFolder(files, async (folder) => {
    const { documents, diagnostics } = await loadDocuments([folder]);
    return { values: documents.map(({ value }) => value), codes: diagnostics.map(({ code }) => code) };
  });
}

Deno.test("a document of more than four million characters is refused", async () => {
  const { values, codes } = await loaded({ "a.yaml": `[${"1,".repeat(2_100_000)}1]`, "b.yaml": "b: 1" });
  assert.deepEqual(values, [{ b: 1 }]);
  assert.deepEqual(codes, ["large-document"]);
});

Deno.test("files beyond 32 million characters together are refused", async () => {
  // Comments cost nothing to read.
  const comment = `a: 1\n---\n${`# ${"x".repeat(97)}\n`.repeat(30_000)}---\n`.repeat(6);
  const { values, codes } = await loaded({ "a.yaml": comment, "b.yaml": comment, "c.yaml": "c: 1" });
  assert.equal(values.length, 6);
  assert.deepEqual(codes, ["large-files", "large-files"]);
});
