import type { Socket } from "node:net";
import { OutgoingAnswer } from "./outgoing_answer.ts";
import type { UnreadAnswers } from "./unread_answers.ts";

/** Writes the answers of a connection, one after the other, and says how much of them its caller leaves unread. */
export class AnswerWriter {
  readonly #socket: Socket;
  readonly #allUnread: UnreadAnswers;
  /** The answer that is being written. */
  #answer: OutgoingAnswer | undefined;
  #stalledSince = 0;

  constructor(socket: Socket, allUnread: UnreadAnswers) {
    this.#socket = socket;
    this.#allUnread = allUnread;
  }

  /** Bytes of memory for answers that the system has not taken yet, because the caller does not read. */
  get unread(): number {
    return this.#socket.destroyed ? 0 : this.#socket.writableLength + (this.#answer?.kept ?? 0);
  }

  /** When the system last took bytes of an answer, on the clock of `performance.now()`. */
  get stalledSince(): number {
    return this.#stalledSince;
  }

  /**
   * Writes an answer, as much of it as the system takes. Returns whether there is room for another one. With `ended`
   * the answer ends the connection; it is called when the system has taken the last bytes.
   */
  write(bytes: Uint8Array, ended?: () => void): boolean {
    if (this.#socket.writableLength === 0) this.#stalledSince = performance.now();
    this.#answer = new OutgoingAnswer(bytes, ended);
    const hasRoom = this.#answer.writeTo(this.#socket);
    this.#allUnread.add(bytes.length);
    return hasRoom;
  }

  /** Writes more of the answer, when the socket has drained. Returns whether there is room for another one. */
  goOn(): boolean {
    this.#stalledSince = performance.now();
    const answer = this.#answer;
    if (answer !== undefined && answer.hasMore && !answer.writeTo(this.#socket)) return false;
    this.free();
    return true;
  }

  /** Frees the memory of the answer. */
  free(): void {
    this.#answer?.free();
    this.#answer = undefined;
  }
}
