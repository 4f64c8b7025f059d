/** Milliseconds that a line waits for further lines. Readers of a log do not notice this delay. */
const waitTime = 5;

/**
 * A batch of this many characters is written at once instead of waiting, so that a flood of lines does not fill the
 * memory.
 */
const fullAt = 64 * 1024;

/**
 * Collects lines and writes them together. A write costs as much as the decision about a small request, so a replica
 * that denies hundreds of requests in a second would spend most of its time on single writes. It writes lines in their
 * order, after five milliseconds at the latest. It drops lines that cannot be written, because a full disk must not keep
 * Postern from answering requests.
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

  /** Writes all waiting lines. Call it before the process ends, and after a line that must not wait. */
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
      // The lines are lost: nothing else can report the failure.
    }
  }
}
