/** Milliseconds that a line waits for further lines. Readers of a log do not notice this delay. */
const waitTime = 5;

/** The bytes of a batch. A full one is written at once, so that a flood of lines does not fill the memory. */
const size = 64 * 1024;

/** The most bytes of a character of a line in UTF-8. */
const widest = 3;

/**
 * Collects lines and writes them together. A write costs as much as the decision about a small request, so a replica
 * that denies hundreds of requests in a second would spend most of its time on single writes. It writes lines in their
 * order, after five milliseconds at the latest. It drops lines that cannot be written, because a full disk must not
 * keep Postern from answering requests.
 *
 * Lines wait as bytes outside the heap. As texts they were two thirds of what survived a collection of the young
 * generation, and the old generation filled with them (`--trace-gc-nvp`: 26 KB survive without this instead of 9).
 *
 * ```ts
 * import { LineBatch } from "./line_batch.ts";
 * import assert from "node:assert/strict";
 * const written: string[] = [];
 * const batch = new LineBatch((lines) => written.push(lines));
 * batch.add("one");
 * batch.add("two");
 * batch.flush();
 * assert.deepEqual(written, ["one\ntwo"]);
 * ```
 */
export class LineBatch {
  readonly #write: (lines: string) => void;
  readonly #encoder = new TextEncoder();
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  #bytes: Uint8Array | undefined;
  #filled = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param write Takes one line or several, with breaks between them and none at the end. */
  constructor(write: (lines: string) => void) {
    this.#write = write;
  }

  /** Takes a line without its line break. */
  add(line: string): void {
    const most = line.length * widest + 1;
    if (this.#filled + most > size) this.flush();
    if (most > size) return this.#attempt(line);
    const bytes = this.#bytes ??= new Uint8Array(size);
    this.#filled += this.#encoder.encodeInto(line, bytes.subarray(this.#filled)).written;
    bytes[this.#filled++] = lineFeed;
    this.#timer ??= setTimeout(() => this.flush(), waitTime);
  }

  /** Writes all waiting lines. Call it before the process ends, and after a line that must not wait. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#bytes === undefined || this.#filled === 0) return;
    const lines = this.#decoder.decode(this.#bytes.subarray(0, this.#filled - 1));
    this.#filled = 0;
    this.#attempt(lines);
  }

  #attempt(lines: string): void {
    try {
      this.#write(lines);
    } catch {
      // The lines are lost: nothing else can report the failure.
    }
  }
}

const lineFeed = 10;
