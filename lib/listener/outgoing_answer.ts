import type { Socket } from "node:net";
import { giveBack } from "./give_back.ts";

/**
 * A socket gets this many bytes of an answer at once, and the next when the system has taken them. With TLS the runtime
 * keeps several copies of what a socket has, and frees those of a closed connection with the next collection of
 * garbage.
 */
const pieceBytes = 64 * 1024;

const nothing: Uint8Array = new Uint8Array(0);

/** An answer that a connection writes piece by piece, as fast as its caller reads. */
export class OutgoingAnswer {
  /** The memory of the answer, and the part that the socket does not have yet. */
  #bytes: Uint8Array;
  #unsent: Uint8Array;
  readonly #ended: (() => void) | undefined;

  /** With `ended` the answer ends the connection; it is called when the system has taken the last bytes. */
  constructor(bytes: Uint8Array, ended: (() => void) | undefined) {
    this.#bytes = this.#unsent = bytes;
    this.#ended = ended;
  }

  /** Whether the socket does not have all bytes yet. */
  get hasMore(): boolean {
    return this.#unsent.length > 0;
  }

  /** The bytes of memory that the answer keeps for what the socket does not have yet. */
  get kept(): number {
    return this.hasMore ? this.#bytes.length : 0;
  }

  /**
   * Writes pieces until the system takes no more. Call it again when the socket has drained, and so has no piece left.
   * Returns whether there is room for another answer.
   */
  writeTo(socket: Socket): boolean {
    this.#keepLess();
    for (;;) {
      const piece = this.#unsent.length > pieceBytes ? this.#unsent.subarray(0, pieceBytes) : this.#unsent;
      this.#unsent = this.#unsent.subarray(piece.length);
      const isEnd = this.#unsent.length === 0;
      if (isEnd && this.#ended !== undefined) {
        socket.end(piece, this.#ended);
        return false;
      }
      const hasRoom = socket.write(piece);
      if (!isEnd && hasRoom) continue;
      // A piece that the socket still has must keep its memory.
      if (isEnd && socket.writableLength === 0) this.free();
      else if (hasRoom) this.#bytes = nothing;
      return hasRoom;
    }
  }

  /**
   * Copies what is left, and frees the rest, once it is at most half. The system takes some megabytes of an answer
   * that nobody reads, so its last piece would keep them all a second time.
   */
  #keepLess(): void {
    if (this.#bytes.length <= pieceBytes || this.#unsent.length * 2 > this.#bytes.length) return;
    // `slice` of a Buffer would not copy.
    const left = new Uint8Array(this.#unsent);
    giveBack(this.#bytes);
    this.#bytes = this.#unsent = left;
  }

  /** Frees the memory of the answer, which nobody reads any more. */
  free(): void {
    giveBack(this.#bytes);
    this.#bytes = this.#unsent = nothing;
  }
}
