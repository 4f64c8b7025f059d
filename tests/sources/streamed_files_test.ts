/** Reading many files of objects takes the memory of one document. */
import assert from "node:assert/strict";
import { streamDocuments } from "../../lib/sources/mod.ts";
import { withFolder } from "../support/folder.ts";

Deno.test("files of one folder are read into one buffer", async () => {
  const files = Object.fromEntries(
    Array.from({ length: 20 }, (_, index) => [`${index}.yaml`, `a: ${index}`]),
  );
  const buffers = new Set<ArrayBufferLike>();
  const open = Deno.open;
  Deno.open = async (...args) => {
    const file = await open(...args);
    const read = file.read.bind(file);
    file.read = (into) => {
      buffers.add(into.buffer);
      return read(into);
    };
    return file;
  };
  try {
    let documents = 0;
    await withFolder(files, async (folder) => {
      for await (const { kind } of streamDocuments([folder])) if (kind === "document") documents++;
    });
    assert.equal(documents, 20);
  } finally {
    Deno.open = open;
  }
  assert.equal(buffers.size, 1);
});
