/**
 * Milliseconds that a line waits for further lines. Readers of a log do not notice this delay. A write takes some 0.1
 * ms of processor time, because a thread of the runtime does it.
 */
const waitTime = 50;

/** The bytes of a batch. A full one is written at once. */
const size = 64 * 1024;

/** The most bytes of lines that wait while a write is under way: 1,000 to 3,000 lines about denied requests. */
const mostHeld = 1024 * 1024;

/** The message of the line that counts lost lines. */
export const linesLost = "lines of the log were lost: nobody read them";

/** Milliseconds after which a write that has not ended counts as one that nobody reads. */
const longestWrite = 1_000;

/** The most bytes of a character of a line in UTF-8. */
const widest = 3;

const lineFeed = 10;

/**
 * Writes whole lines. It may read the bytes until it returns or, when it returns a promise, until that has ended; then
 * they are used for further lines.
 */
export type WriteLines = (lines: Uint8Array) => void | Promise<void>;

/**
 * Collects lines and writes them together. A write costs as much as the decision about a small request, so a replica
 * that denies hundreds of requests in a second would spend most of its time on single writes. It writes lines in their
 * order, after fifty milliseconds at the latest. It drops lines that cannot be written, because a full disk must not
 * keep Postern from answering requests.
 *
 * One write is under way at a time, and nothing waits for it but further lines. When nobody reads the log, as when a
 * node's container runtime hangs, a write that waits would keep Postern from answering. So lines beyond a bound are
 * lost then, and counted.
 *
 * Lines wait as bytes outside the heap. As texts they were two thirds of what survived a collection of the young
 * generation, and the old generation filled with them (`--trace-gc-nvp`: 26 KB survive without this instead of 9).
 *
 * ```ts
 * import { LineBatch } from "./line_batch.ts";
 * import assert from "node:assert/strict";
 * const written: string[] = [];
 * const batch = new LineBatch((lines) => void written.push(new TextDecoder().decode(lines)));
 * batch.add("one");
 * batch.add("two");
 * batch.flush();
 * assert.deepEqual(written, ["one\ntwo\n"]);
 * ```
 */
export class LineBatch {
  readonly #write: WriteLines;
  readonly #encoder = new TextEncoder();
  /** The buffer that takes lines, and an empty one. */
  #bytes: Uint8Array | undefined;
  #spare: Uint8Array | undefined;
  #filled = 0;
  /** Lines that wait for the write that is under way, oldest first. */
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #isDue = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #writing: { readonly since: number; readonly done: Promise<void> } | undefined;
  #lost = 0;
  #whenLost: (lines: number) => void = () => {};

  constructor(write: WriteLines) {
    this.#write = write;
  }

  /** Calls a function with the number of lines that were lost, when lines are written again. */
  whenLost(listener: (lines: number) => void): void {
    this.#whenLost = listener;
  }

  /** Takes a line without its line break. */
  add(line: string): void {
    const most = line.length * widest + 1;
    if (this.#writing !== undefined && this.#waitingBytes + this.#filled + line.length > mostHeld) {
      this.#lost++;
      return;
    }
    if (this.#filled + most > size) this.#seal();
    if (most > size) {
      this.#wait(this.#encoder.encode(`${line}\n`));
    } else {
      const bytes = this.#bytes ??= this.#emptyBuffer();
      this.#filled += this.#encoder.encodeInto(line, bytes.subarray(this.#filled)).written;
      bytes[this.#filled++] = lineFeed;
      this.#timer ??= setTimeout(() => this.flush(), waitTime);
    }
    if (this.#waiting.length > 0) this.#writeNext();
  }

  /** Begins to write all waiting lines. Call it after a line that must not wait. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isDue = true;
    this.#writeNext();
  }

  /** Resolves when all lines are written, or after a second in which nobody reads them. */
  async drain(): Promise<void> {
    this.flush();
    while (this.#writing !== undefined) {
      const { done } = this.#writing;
      const { promise: late, resolve } = Promise.withResolvers<boolean>();
      const timer = setTimeout(resolve, longestWrite, true);
      const isLate = await Promise.race([done.then(() => false), late]);
      clearTimeout(timer);
      if (isLate) return;
    }
  }

  /** Takes all waiting lines, to write them when the process ends at once; none when nobody reads them. */
  take(): string {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#seal();
    const chunks = this.#waiting.splice(0);
    this.#waitingBytes = 0;
    const isStuck = this.#writing !== undefined && performance.now() - this.#writing.since > longestWrite;
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    return isStuck ? "" : chunks.map((chunk) => decoder.decode(chunk)).join("");
  }

  #writeNext(): void {
    while (this.#writing === undefined) {
      if (this.#waiting.length === 0 && this.#isDue) this.#seal();
      const lines = this.#waiting.shift();
      if (lines === undefined) return void (this.#isDue = false);
      this.#waitingBytes -= lines.length;
      const ended = this.#attempt(lines);
      if (ended === undefined) this.#release(lines);
      else this.#writing = { since: performance.now(), done: ended.then(() => this.#end(lines)) };
    }
  }

  #end(lines: Uint8Array): void {
    this.#writing = undefined;
    this.#release(lines);
    const lost = this.#lost;
    this.#lost = 0;
    if (lost > 0) this.#whenLost(lost);
    this.#writeNext();
  }

  /** Writes lines; lines that cannot be written are lost, because nothing else can report the failure. */
  #attempt(lines: Uint8Array): Promise<void> | undefined {
    try {
      return this.#write(lines)?.catch(() => {});
    } catch {
      return undefined;
    }
  }

  /** Lets the collected lines wait for their write. */
  #seal(): void {
    if (this.#bytes === undefined || this.#filled === 0) return;
    this.#wait(this.#bytes.subarray(0, this.#filled));
    this.#bytes = undefined;
    this.#filled = 0;
  }

  #wait(lines: Uint8Array): void {
    this.#waiting.push(lines);
    this.#waitingBytes += lines.length;
  }

  #emptyBuffer(): Uint8Array {
    const spare = this.#spare ?? new Uint8Array(size);
    this.#spare = undefined;
    return spare;
  }

  /** Keeps the buffer of written lines for further ones. */
  #release({ buffer }: Uint8Array): void {
    if (buffer.byteLength === size) this.#spare ??= new Uint8Array(buffer);
  }
}
