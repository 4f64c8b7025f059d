import assert from "node:assert/strict";
import fc from "fast-check";
import { BytesBody } from "../../lib/adapters/bytes_body.ts";

Deno.test("a body is the bytes of its chunks, whatever their lengths", () => {
  const chunk = fc.uint8Array({ maxLength: 50_000 });
  fc.assert(
    fc.property(fc.array(chunk, { maxLength: 8 }), (chunks) => {
      const body = new BytesBody(() => true);
      // The reader uses the buffer of a chunk again.
      const shared = new Uint8Array(50_000);
      for (const each of chunks) {
        shared.set(each);
        assert.equal(body.add(shared.subarray(0, each.length)), true);
      }
      body.end();
      assert.deepEqual(body.bytes, new Uint8Array(chunks.flatMap((each) => [...each])));
      assert.equal(body.bytes.buffer.byteLength, body.bytes.length);
    }),
    { numRuns: 50 },
  );
});

Deno.test("a body for which there is no room ends, and dropping it gives its memory back", () => {
  let room = 100_000;
  const body = new BytesBody((bytes) => (room -= bytes) >= 0);
  assert.equal(body.add(new Uint8Array(60_000)), true);
  const { buffer } = body.bytes;
  assert.equal(body.add(new Uint8Array(60_000)), false);
  body.drop();
  assert.equal(buffer.detached, true);
  assert.equal(body.bytes.length, 0);
});
