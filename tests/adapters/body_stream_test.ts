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

/** A body of so many pieces, each made when it is read. */
function repeated(piece: string, count: number): ReadableStream<Uint8Array> {
  const chunk = new TextEncoder().encode(piece);
  let left = count;
  return new ReadableStream({ pull: (to) => left-- > 0 ? to.enqueue(chunk) : to.close() });
}

Deno.test("the pieces of a long line are read once: a line in 500,000 pieces takes no minutes", async () => {
  const [line = ""] = await Array.fromAsync(linesOf(repeated("0123456789abcde", 500_000), open()));
  assert.equal(line.length, 7_500_000);
});

Deno.test("characters and line breaks of a line may be in pieces", async () => {
  const all = new TextEncoder().encode('"ä€😀"\n\n"b"\r\n"c');
  const parts = [...all].map((byte) => new Uint8Array([byte]));
  const lines = await Array.fromAsync(linesOf(ReadableStream.from(parts), open()));
  assert.deepEqual(lines, ['"ä€😀"', '"b"\r', '"c']);
});

Deno.test("a line without an end is given up, and its body with it", async () => {
  let read = 0;
  const body = new ReadableStream<Uint8Array>({
    pull: (to) => to.enqueue(new Uint8Array(65_536).fill(++read % 26 + 97)),
  });
  await assert.rejects(Array.fromAsync(linesOf(body, open())), /longer than 8000000 bytes/);
  assert.ok(read < 130, String(read));
});
