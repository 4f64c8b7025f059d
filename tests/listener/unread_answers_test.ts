/** Answers that are not read: which connections are closed for them. */
import assert from "node:assert/strict";
import { type AnsweredConnection, UnreadAnswers } from "../../lib/listener/unread_answers.ts";

class Unread implements AnsweredConnection {
  isOpen = true;
  #bytes: number;
  readonly stalledSince: number;

  constructor(stalledSince: number, bytes: number) {
    this.stalledSince = stalledSince;
    this.#bytes = bytes;
  }

  get unread(): number {
    return this.isOpen ? this.#bytes : 0;
  }

  destroy(): void {
    this.isOpen = false;
  }
}

interface Row {
  readonly title: string;
  /** Bytes that each connection leaves unread, the one that has waited longest first. */
  readonly unread: readonly number[];
  readonly written: number;
  /** How many milliseconds ago the last caller read something; each one before it did so 1 ms earlier. */
  readonly ago?: number;
  readonly open: readonly boolean[];
}

const rows: readonly Row[] = [
  { title: "below the limit none", unread: [50, 50], written: 100, open: [true, true] },
  { title: "those that have waited longest", unread: [40, 40, 40], written: 120, open: [false, false, true] },
  {
    title: "no connection that has read everything",
    unread: [0, 60, 60],
    written: 120,
    open: [true, false, true],
  },
  { title: "none that is still reading", unread: [60, 60], written: 120, ago: 10, open: [true, true] },
  {
    title: "those that are still reading, too, beyond twice the limit",
    unread: [80, 70, 60],
    written: 210,
    ago: 10,
    open: [false, true, true],
  },
  { title: "never the newest", unread: [10, 500], written: 510, open: [false, true] },
  { title: "none when all is read", unread: [0, 0], written: 1_000, open: [true, true] },
];

for (const { title, unread, written, ago = 1_000, open } of rows) {
  Deno.test(`unread answers beyond the limit close connections: ${title}`, () => {
    const connections = unread.map((bytes, index) => new Unread(index, bytes));
    const now = ago + connections.length - 1;
    new UnreadAnswers(100, [...connections].reverse(), () => now).add(written);
    assert.deepEqual(connections.map(({ isOpen }) => isOpen), open);
  });
}
