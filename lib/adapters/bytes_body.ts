import type { BodySink } from "./body_sink.ts";

/** Bytes of the first buffer; most answers of registries are shorter. */
const firstBuffer = 16_384;

/**
 * Keeps the body of an answer as bytes, in one buffer that grows. It gives memory back at once, where V8 would collect
 * it some dozens of megabytes later: whoever creates a Pod names registries, which may send much that is dropped.
 */
export class BytesBody implements BodySink {
  readonly #take: (bytes: number) => boolean;
  #buffer = new ArrayBuffer(0);
  #length = 0;

  /** `take` takes memory for bytes that have arrived; false ends the request. */
  constructor(take: (bytes: number) => boolean) {
    this.#take = take;
  }

  /** Takes the next bytes of the body; false when there is no memory for them. */
  add(chunk: Uint8Array): boolean {
    if (!this.#take(chunk.length)) return false;
    const needed = this.#length + chunk.length;
    if (needed > this.#buffer.byteLength) {
      this.#buffer = resized(this.#buffer, Math.max(needed, 2 * this.#buffer.byteLength, firstBuffer));
    }
    new Uint8Array(this.#buffer).set(chunk, this.#length);
    this.#length = needed;
    return true;
  }

  /** Frees the memory beyond the bytes that arrived. */
  end(): boolean {
    this.#buffer = resized(this.#buffer, this.#length);
    return true;
  }

  /** Gives up a body that did not arrive whole. */
  drop(): void {
    this.#buffer = resized(this.#buffer, 0);
    this.#length = 0;
  }

  /** The bytes once all have arrived. */
  get bytes(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.#buffer);
  }

  /** The bytes as text, decoded when it is read: content of registries seldom is. */
  get text(): string {
    return new TextDecoder().decode(this.bytes);
  }
}

/** Moves the bytes that fit to a buffer of another size, and gives the former one back where the runtime can. */
function resized(buffer: ArrayBuffer, length: number): ArrayBuffer {
  // Node 20 does not have this method.
  const { transfer } = buffer as { transfer?: unknown };
  if (transfer !== undefined) return buffer.transfer(length);
  const made = new Uint8Array(length);
  made.set(new Uint8Array(buffer, 0, Math.min(buffer.byteLength, length)));
  return made.buffer;
}
