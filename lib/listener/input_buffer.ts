import { Buffer } from "node:buffer";
import { giveBack, giveBackAll } from "./give_back.ts";
import type { KeptBytes } from "./kept_bytes.ts";

const nothing: Uint8Array = new Uint8Array(0);

/**
 * The bytes that a connection has received and no request has taken yet: the beginning of a head, those that arrive
 * while a body waits for memory, or further requests. It also frees the memory of the request that waits for a handler
 * or that one works on, as further requests may be in the same buffer.
 */
export class InputBuffer {
  /** Counts the bytes of further requests, of all connections together. */
  readonly #allAhead: KeptBytes;
  #bytes: Uint8Array = nothing;
  /** The bytes of this connection that `#allAhead` counts. */
  #ahead = 0;
  #isCut = false;
  /** The body of the request that waits for a handler, or that one works on. */
  #body: Uint8Array = nothing;

  constructor(allAhead: KeptBytes) {
    this.#allAhead = allAhead;
  }

  get length(): number {
    return this.#bytes.length;
  }

  /** Whether further requests were dropped, because all callers together sent too many before their answers. */
  get isCut(): boolean {
    return this.#isCut;
  }

  /** Returns the bytes and those that follow them, in one buffer. The caller keeps them again, or what is left. */
  with(more: Uint8Array): Uint8Array {
    if (this.#bytes.length === 0) return more;
    const all = Buffer.concat([this.#bytes, more]);
    giveBack(more);
    if (this.#bytes.buffer !== this.#body.buffer) giveBackAll(this.#bytes);
    return all;
  }

  /** Keeps bytes of the request that is being read; its budgets count them. */
  keep(bytes: Uint8Array): void {
    this.#bytes = bytes;
  }

  /** Keeps the bytes of further requests. When all connections keep too many, it drops them, and all later ones. */
  keepAhead(bytes: Uint8Array): void {
    if (this.#allAhead.keep(bytes.length - this.#ahead)) {
      this.#ahead = bytes.length;
      this.#bytes = bytes;
    } else {
      this.take();
      this.#isCut = true;
    }
  }

  /** Adds bytes to those of further requests. */
  addAhead(more: Uint8Array): void {
    this.keepAhead(this.#isCut ? nothing : this.with(more));
  }

  /** Returns the bytes, and keeps them no longer. */
  take(): Uint8Array {
    const bytes = this.#bytes;
    this.#allAhead.keep(-this.#ahead);
    this.#ahead = 0;
    this.#bytes = nothing;
    return bytes;
  }

  /** Notes the body that a handler is to read: its memory must stay. */
  lend(body: Uint8Array): void {
    this.#body = body;
  }

  /** Frees the memory of the body, which no handler reads any more. */
  freeBody(): void {
    if (this.#bytes.buffer !== this.#body.buffer) giveBack(this.#body);
    this.#body = nothing;
  }
}
