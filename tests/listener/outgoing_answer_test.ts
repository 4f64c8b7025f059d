/** An answer that its caller reads slowly: what is written, and how much memory it keeps. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import type { Socket } from "node:net";
import { OutgoingAnswer } from "../../lib/listener/outgoing_answer.ts";

/** A socket with room for one piece, which keeps what it got. */
class FullSocket {
  readonly got: number[] = [];
  writableLength = 0;

  write(piece: Uint8Array): boolean {
    this.got.push(...piece);
    this.writableLength = piece.length;
    return false;
  }

  end(piece: Uint8Array): void {
    this.write(piece);
  }

  /** The system takes the piece. */
  drain(): void {
    this.writableLength = 0;
  }
}

const kilobyte = 1024;

for (const bytes of [1, 64 * kilobyte, 64 * kilobyte + 1, 1000 * kilobyte]) {
  for (const ended of [undefined, () => {}]) {
    const title = `an answer of ${bytes} bytes${ended === undefined ? "" : " that ends its connection"}`;
    Deno.test(`${title} keeps little more memory than its caller has to read`, () => {
      const content = Uint8Array.from({ length: bytes }, (_, index) => index % 251);
      const socket = new FullSocket(), answer = new OutgoingAnswer(Buffer.from(content), ended);
      for (;;) {
        answer.writeTo(socket as unknown as Socket);
        const left = bytes - socket.got.length;
        assert.ok(answer.kept <= 2 * (left + 64 * kilobyte), `keeps ${answer.kept} for ${left}`);
        assert.equal(answer.hasMore, left > 0);
        if (!answer.hasMore) break;
        socket.drain();
      }
      assert.equal(answer.kept, 0);
      assert.deepEqual(Uint8Array.from(socket.got), content);
    });
  }
}
