/** Bodies as they arrive: through one buffer, or as the platform gives them. */
import assert from "node:assert/strict";
import { chunksOf, linesOf } from "../../lib/adapters/body_stream.ts";

const text = "abcdefghij".repeat(20_000);
const bytes = new TextEncoder().encode(text);
/** Pieces of some sizes, one after the other. */
function pieces(): Uint8Array[] {
  const found: Uint8Array[] = [];
  for (let start = 0, size = 1; start < bytes.length; start += size, size = (size * 7) % 70_001) {
    found.push(bytes.slice(start, start + size));
  }
  return found;
}

const bodies: Readonly<Record<string, (parts: readonly Uint8Array[]) => ReadableStream<Uint8Array>>> = {
  "into a buffer": (parts) => {
    const left = [...parts];
    return new ReadableStream({
      type: "bytes",
      pull(controller) {
        const part = left.shift();
        if (part !== undefined) controller.enqueue(part.slice() as Uint8Array<ArrayBuffer>);
        else {
          controller.close();
          controller.byobRequest?.respond(0);
        }
      },
    });
  },
  "as it is": (parts) => ReadableStream.from(parts),
};
const open = () => new AbortController().signal;

for (const [how, bodyOf] of Object.entries(bodies)) {
  Deno.test(`a body that is read ${how} is complete, whatever the sizes of its pieces`, async () => {
    const decoder = new TextDecoder();
    let read = "";
    for await (const chunk of chunksOf(bodyOf(pieces()), open())) {
      read += decoder.decode(chunk, { stream: true });
    }
    assert.equal(read, text);
  });

  Deno.test(`a body that is read ${how} gives its lines`, async () => {
    const parts = ['{"a":', '1}\n{"b":2', "}\n\n", '{"c":3}'].map((part) => new TextEncoder().encode(part));
    const lines = await Array.fromAsync(linesOf(bodyOf(parts), open()));
    assert.deepEqual(lines, ['{"a":1}', '{"b":2}', '{"c":3}']);
  });

  Deno.test(`a body that is read ${how} ends with its signal`, async () => {
    const stop = new AbortController();
    let chunks = 0;
    for await (const _ of chunksOf(bodyOf(pieces()), stop.signal)) if (++chunks === 2) stop.abort();
    assert.equal(chunks, 2);
  });
}
