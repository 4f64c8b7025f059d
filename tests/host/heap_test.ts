import assert from "node:assert/strict";
import { collectStartGarbage } from "../../lib/host/heap.ts";

Deno.test("the garbage of the start is collected once, when V8 has gc()", async () => {
  const collections: unknown[] = [];
  const v8Global = globalThis as { gc?: (options: unknown) => void };
  collectStartGarbage(0);
  v8Global.gc = (options) => collections.push(options);
  try {
    collectStartGarbage(0);
    assert.deepEqual(collections, [], "it waits for the requests that are there");
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.deepEqual(collections, [{ type: "major", execution: "sync", flavor: "last-resort" }]);
  } finally {
    delete v8Global.gc;
  }
});

Deno.test("the image enables gc() for the garbage of the start", async () => {
  const dockerfile = await Deno.readTextFile(new URL("../../Dockerfile", import.meta.url));
  assert.match(dockerfile, /^ARG V8_FLAGS=.*--expose-gc/m);
});
