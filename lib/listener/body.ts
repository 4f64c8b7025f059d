import type { Share } from "./byte_budget.ts";
import { ChunkedBody } from "./chunked_body.ts";
import { giveBack } from "./give_back.ts";
import type { RequestHead } from "./request_head.ts";

/** The result of reading a piece of a body. */
export type BodyProgress =
  /** More bytes are to come. */
  | { readonly kind: "more" }
  /**
   * The body keeps so many bytes, and waits for room in the budget. The connection must not read until there is room.
   */
  | { readonly kind: "waits"; readonly bytes: number }
  /** The body is complete; `rest` belongs to the next request. */
  | { readonly kind: "done"; readonly body: Uint8Array; readonly rest: Uint8Array }
  | { readonly kind: "refused"; readonly status: 400 | 413; readonly message: string };

const nothing = new Uint8Array(0);
const more: BodyProgress = { kind: "more" };

/** The smallest first buffer of a body in several pieces, unless the whole body is smaller. */
const firstBytes = 4096;

/**
 * Collects a body. It allocates memory for the bytes that have arrived, at most twice as much, and not for the
 * announced length. It takes each byte of memory from the budget first.
 */
export class Body {
  readonly #share: Share;
  readonly #most: number;
  /** The announced length; `undefined` for a chunked body. */
  readonly #length: number | undefined;
  readonly #chunked: ChunkedBody | undefined;
  #content: Uint8Array<ArrayBuffer> = nothing;
  #filled = 0;
  /** Bytes that wait for the budget. */
  #held: Uint8Array | undefined;

  constructor(framing: RequestHead["body"], share: Share, most: number) {
    this.#share = share;
    this.#most = most;
    this.#length = framing === "chunked" ? undefined : framing.length;
    this.#chunked = framing === "chunked" ? new ChunkedBody() : undefined;
  }

  /** Adds the next bytes of the connection. */
  take(bytes: Uint8Array): BodyProgress {
    const wanted = this.#wanted(bytes.length);
    const isWhole = this.#filled === 0 && this.#length !== undefined && bytes.length >= this.#length;
    if (wanted > 0 && !this.#share.take(wanted, isWhole ? "whole" : "part")) {
      this.#held = bytes;
      return { kind: "waits", bytes: bytes.length };
    }
    return this.#add(bytes, wanted);
  }

  /** Adds the held bytes; the connection calls it after the budget has made room for them. */
  goOn(): BodyProgress {
    const bytes = this.#held!;
    this.#held = undefined;
    return this.#add(bytes, this.#wanted(bytes.length));
  }

  /** How much more memory so many bytes need. */
  #wanted(bytes: number): number {
    const needed = Math.min(this.#filled + bytes, this.#length ?? this.#most);
    if (needed <= this.#content.length) return 0;
    const doubled = Math.max(2 * needed, firstBytes);
    return Math.min(doubled, this.#length ?? this.#most) - this.#content.length;
  }

  #add(bytes: Uint8Array, wanted: number): BodyProgress {
    if (this.#chunked !== undefined) return this.#unchunk(this.#chunked, bytes, wanted);
    const left = this.#length! - this.#filled;
    // Most bodies arrive in one piece. The listener then uses that piece and copies nothing.
    if (this.#filled === 0 && bytes.length >= left) return this.#done(bytes.subarray(0, left), bytes, left);
    this.#grow(wanted);
    this.#append(bytes.length > left ? bytes.subarray(0, left) : bytes);
    if (bytes.length <= left) giveBack(bytes);
    return this.#filled === this.#length ? this.#done(this.#content, bytes, left) : more;
  }

  #unchunk(chunked: ChunkedBody, bytes: Uint8Array, wanted: number): BodyProgress {
    const taken = chunked.take(bytes);
    if ("problem" in taken) return { kind: "refused", status: 400, message: taken.problem };
    this.#grow(wanted);
    for (const part of taken.content) {
      if (this.#filled + part.length > this.#most) return tooLarge(this.#most);
      this.#append(part);
    }
    if (!taken.done) giveBack(bytes);
    return taken.done ? this.#done(this.#content.subarray(0, this.#filled), bytes, taken.used) : more;
  }

  #grow(by: number): void {
    if (by === 0) return;
    const { buffer, length } = this.#content;
    // The empty buffer is that of all bodies, so it stays as it is.
    this.#content = new Uint8Array(length === 0 ? new ArrayBuffer(by) : buffer.transfer(length + by));
  }

  #append(part: Uint8Array): void {
    this.#content.set(part, this.#filled);
    this.#filled += part.length;
  }

  #done(body: Uint8Array, bytes: Uint8Array, used: number): BodyProgress {
    this.#share.finish();
    return { kind: "done", body, rest: used < bytes.length ? bytes.subarray(used) : nothing };
  }
}

/** The answer to a body that exceeds the limit. */
export function tooLarge(most: number): Extract<BodyProgress, { kind: "refused" }> {
  return { kind: "refused", status: 413, message: `the body is larger than ${most} bytes` };
}
