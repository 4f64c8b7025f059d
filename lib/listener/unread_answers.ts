/** A connection whose caller may leave answers unread. */
export interface AnsweredConnection {
  /** Bytes of memory for answers that the system has not taken yet, because the caller does not read. */
  readonly unread: number;
  /** When the system last took bytes of an answer, on the clock of `performance.now()`. */
  readonly stalledSince: number;
  /** Closes the connection at once, and frees its answers. */
  destroy(): void;
}

/** The share of the limit that stays in use at most after connections were closed. */
const keptShare = 3 / 4;

/** A caller that has read something in this many milliseconds is still reading. */
const readingTime = 250;

/** Beyond this many times the limit, connections whose callers are still reading are closed, too. */
const mostTimes = 2;

/**
 * Limits the bytes of answers that all callers together leave unread. Beyond the limit it closes the connections whose
 * callers have read nothing for longest. The last to read stays, so a caller that reads gets answers of any length.
 *
 * Most answers are read within microseconds. It therefore counts what was written, which is never less than the unread
 * bytes, and looks at the connections only when that reaches the limit.
 */
export class UnreadAnswers {
  readonly #most: number;
  readonly #connections: Iterable<AnsweredConnection>;
  readonly #now: () => number;
  /** The unread bytes are at most so many. */
  #atMost = 0;

  constructor(most: number, connections: Iterable<AnsweredConnection>, now = () => performance.now()) {
    this.#most = most;
    this.#connections = connections;
    this.#now = now;
  }

  /** Counts the bytes of an answer that a connection has just written. */
  add(bytes: number): void {
    this.#atMost += bytes;
    if (this.#atMost > this.#most) this.#makeRoom();
  }

  #makeRoom(): void {
    const unread = [...this.#connections].filter((connection) => connection.unread > 0);
    unread.sort((one, other) => one.stalledSince - other.stalledSince);
    const readingSince = this.#now() - readingTime;
    let bytes = unread.reduce((sum, connection) => sum + connection.unread, 0);
    for (const connection of unread.slice(0, -1)) {
      if (bytes <= this.#most * keptShare) break;
      if (connection.stalledSince > readingSince && bytes <= this.#most * mostTimes) break;
      bytes -= connection.unread;
      connection.destroy();
    }
    this.#atMost = bytes;
  }
}
