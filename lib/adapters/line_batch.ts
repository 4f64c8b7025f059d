/** How long a line waits for others, in milliseconds: nobody who reads a log notices. */
const waitTime = 5;

/**
 * The number of characters above which lines are written at once instead of waiting, so that a flood of lines takes
 * no memory.
 */
const fullAt = 64 * 1024;

/**
 * Gathers lines and writes them together. A write costs as much as deciding a small request, so a replica that denies
 * hundreds of requests in a second would spend most of its time on them one by one. Lines leave in their order, after five
 * milliseconds at the latest. What cannot be written is lost: a full disk must not keep requests from being answered.
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
  #lines: string[] = [];
  #characters = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param write Takes one line or several, with breaks between them and none at the end. */
  constructor(write: (lines: string) => void) {
    this.#write = write;
  }

  /** Takes a line without its line break. */
  add(line: string): void {
    this.#lines.push(line);
    this.#characters += line.length;
    if (this.#characters >= fullAt) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), waitTime);
  }

  /** Writes what waits: before the process ends, and for lines that must not wait. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#lines.length === 0) return;
    const lines = this.#lines.join("\n");
    this.#lines = [];
    this.#characters = 0;
    try {
      this.#write(lines);
    } catch {
      // See above: there is no other place to say so.
    }
  }
}
