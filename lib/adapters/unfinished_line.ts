/** Bytes of the first buffer: most lines that do not end with their chunk are shorter. */
const firstBuffer = 4_096;

/**
 * The bytes of a line of which some arrived and the end did not. Each is copied once or twice, however small the pieces
 * are in which they come.
 */
export class UnfinishedLine {
  readonly #most: number;
  #buffer = new Uint8Array(0);
  #length = 0;

  /** `most` is the most bytes of a line. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Adds a piece without a line break; it throws when the line gets too long. */
  add(piece: Uint8Array): void {
    const needed = this.#length + piece.length;
    if (needed > this.#most) throw new Error(`a line is longer than ${this.#most} bytes`);
    if (needed > this.#buffer.length) {
      const larger = new Uint8Array(Math.max(needed, 2 * this.#buffer.length, firstBuffer));
      larger.set(this.#buffer.subarray(0, this.#length));
      this.#buffer = larger;
    }
    this.#buffer.set(piece, this.#length);
    this.#length = needed;
  }

  /** Returns the whole line, and begins the next one. The bytes are valid until the next piece is added. */
  end(piece: Uint8Array): Uint8Array {
    if (this.#length === 0) return piece;
    this.add(piece);
    const line = this.#buffer.subarray(0, this.#length);
    // A watch lives for minutes, and the buffer of a long line would with it.
    if (line.length > firstBuffer) this.#buffer = new Uint8Array(0);
    this.#length = 0;
    return line;
  }
}
