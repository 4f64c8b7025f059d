import assert from "node:assert/strict";
import { collectStartGarbage } from "../../lib/host/heap.ts";

Deno.test("what a start left is collected once, where V8 lets programs do so", async () => {
  const collections: unknown[] = [];
  const place = globalThis as { gc?: (options: unknown) => void };
  collectStartGarbage(0);
  place.gc = (options) => collections.push(options);
  try {
    collectStartGarbage(0);
    assert.deepEqual(collections, [], "it waits for the requests that are there");
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.deepEqual(collections, [{ type: "major", execution: "sync", flavor: "last-resort" }]);
  } finally {
    delete place.gc;
  }
});

Deno.test("the image lets Postern collect what a start left", async () => {
  const dockerfile = await Deno.readTextFile(new URL("../../Dockerfile", import.meta.url));
  assert.match(dockerfile, /^ARG V8_FLAGS=.*--expose-gc/m);
});
