import type { BodySink } from "./body_sink.ts";

/** Keeps the body of an answer as bytes. */
export class BytesBody implements BodySink {
  readonly #take: (bytes: number) => boolean;
  readonly #chunks: Uint8Array[] = [];
  #length = 0;
  #bytes: Uint8Array | undefined;

  /** `take` takes memory for bytes that have arrived; false ends the request. */
  constructor(take: (bytes: number) => boolean) {
    this.#take = take;
  }

  add(chunk: Uint8Array): boolean {
    if (!this.#take(chunk.length)) return false;
    this.#chunks.push(chunk.slice());
    this.#length += chunk.length;
    return true;
  }

  end(): boolean {
    this.#bytes = joined(this.#chunks, this.#length);
    this.#chunks.length = 0;
    return true;
  }

  /** The bytes once all have arrived. */
  get bytes(): Uint8Array {
    return this.#bytes ?? new Uint8Array();
  }

  /** The bytes as text, decoded when it is read: content of registries seldom is. */
  get text(): string {
    return new TextDecoder().decode(this.bytes);
  }
}

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array {
  if (chunks.length === 1) return chunks[0]!;
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
}
