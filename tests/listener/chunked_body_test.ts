/** The framing of chunked bodies. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { ChunkedBody } from "../../lib/listener/chunked_body.ts";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

Deno.test("a chunked body does not depend on the split of its bytes, and leaves the bytes after it", () => {
  const piece = fc.uint8Array({ minLength: 1, maxLength: 40 });
  fc.assert(fc.property(fc.array(piece), fc.integer({ min: 1, max: 20 }), (pieces, cut) => {
    const framed = pieces.flatMap((
      each,
    ) => [...bytesOf(`${each.length.toString(16)};a=b\r\n`), ...each, 13, 10]);
    const sent = new Uint8Array([...framed, ...bytesOf("0\r\nX: y\r\n\r\nGET /")]);
    const body = new ChunkedBody();
    const content: number[] = [];
    for (let at = 0; at < sent.length; at += cut) {
      const taken = body.take(sent.subarray(at, at + cut));
      assert.ok(!("problem" in taken), JSON.stringify(taken));
      for (const part of taken.content) content.push(...part);
      if (!taken.done) continue;
      assert.equal(at + taken.used, sent.length - 5);
      assert.deepEqual(content, pieces.flatMap((each) => [...each]));
      return;
    }
    assert.fail("the body did not end");
  }));
});

const refused: readonly [what: string, text: string][] = [
  ["a size that is no number", "xyz\r\n"],
  ["no size", "\r\n"],
  ["a negative size", "-1\r\n"],
  ["a size above any memory", "fffffffff\r\n"],
  ["a line feed alone", "1\na\r\n"],
  ["a chunk that is longer than its size", "1\r\nab\r\n"],
  ["a line without an end", "1;".padEnd(1000, "a")],
  ["trailers without an end", `0\r\n${"a: b\r\n".repeat(100)}`],
];
for (const [what, text] of refused) {
  Deno.test(`a chunked body with ${what} is refused`, () => {
    assert.ok("problem" in new ChunkedBody().take(bytesOf(text)));
  });
}
