import assert from "node:assert/strict";
import { ContentMemory } from "../../lib/registries/registry/content_memory.ts";

Deno.test("a query takes half of the memory at most, and gives it back when it ends", async () => {
  const memory = new ContentMemory({ most: 1_000_000 });
  const first = await memory.query(({ take }) =>
    Promise.resolve([take(400_000), take(400_000), take(100_000)])
  );
  assert.deepEqual(first, [true, false, true]);
  await memory.query(async ({ take }) => {
    assert.equal(take(500_000), true);
    await memory.query((other) => Promise.resolve(assert.equal(other.take(500_000), true)));
    await memory.query((other) => Promise.resolve(assert.equal(other.take(500_000), true)));
  });
});

Deno.test("each query may take some kilobytes, whatever others hold", async () => {
  const memory = new ContentMemory({ most: 1_000_000 });
  await memory.query(async (first) => {
    assert.equal(first.take(500_000), true);
    await memory.query(async (second) => {
      assert.equal(second.take(500_000), true);
      await memory.query((third) => {
        assert.equal(third.take(500_000), false);
        assert.equal(third.take(100_000), true);
        assert.equal(third.take(100_000), false);
        return Promise.resolve();
      });
    });
  });
});

Deno.test("garbage is collected before a query takes more than some kilobytes", async () => {
  let collections = 0;
  const memory = new ContentMemory({ most: 1_000_000, beforeMore: () => collections++ });
  await memory.query(({ take }) => Promise.resolve(take(100_000)));
  assert.equal(collections, 0);
  await memory.query(({ take }) => Promise.resolve(take(200_000)));
  assert.equal(collections, 1);
});
