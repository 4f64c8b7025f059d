import type { Connection } from "./connection.ts";
import type { Activity } from "./timed_activity.ts";

/** The open connections of a port. */
export class Connections {
  readonly #open = new Set<Connection>();

  get size(): number {
    return this.#open.size;
  }

  /** The number of connections with a request. */
  get busy(): number {
    let busy = 0;
    for (const connection of this.#open) {
      if (!isFree(connection) && connection.activity !== "lingering") busy++;
    }
    return busy;
  }

  [Symbol.iterator](): Iterator<Connection> {
    return this.#open.values();
  }

  add(connection: Connection): void {
    this.#open.add(connection);
  }

  delete(connection: Connection): void {
    this.#open.delete(connection);
  }

  /** Ends the connections that have exceeded a deadline. */
  expire(now: number): void {
    for (const connection of this.#open) connection.expire(now);
  }

  /** Extends all deadlines. */
  extend(milliseconds: number): void {
    for (const connection of this.#open) connection.extend(milliseconds);
  }

  /**
   * Closes, of the connections with the lowest rank, the one that expires first. It spares new connections that expire
   * after `young`.
   */
  closeLeastUseful(young: number): void {
    let least: Connection | undefined;
    for (const connection of this.#open) {
      if (rank[connection.activity] === undefined) continue;
      if (connection.activity === "new" && connection.until > young) continue;
      if (least === undefined || isLess(connection, least)) least = connection;
    }
    if (least === undefined) return;
    // Removed at once: more callers may arrive before the "close" event, and each must close another connection.
    this.#open.delete(least);
    least.destroy();
  }

  /** Ends the connections without a request. */
  endFree(): void {
    for (const connection of this.#open) {
      if (isFree(connection)) connection.end();
    }
  }

  /** Closes all connections at once. */
  destroy(): void {
    for (const connection of this.#open) connection.destroy();
  }
}

/**
 * The order in which connections are closed to make room. A connection whose request a handler works on is never
 * closed. A new connection, such as a health check, is closed after those that already had a request.
 */
const rank: Readonly<Partial<Record<Activity, number>>> = {
  lingering: 0,
  idle: 1,
  head: 2,
  body: 3,
  writing: 4,
  new: 5,
};

/** Whether a connection has no request. */
function isFree({ activity }: Connection): boolean {
  return activity === "idle" || activity === "new";
}

function isLess(one: Connection, other: Connection): boolean {
  const difference = rank[one.activity]! - rank[other.activity]!;
  return difference < 0 || difference === 0 && one.until < other.until;
}
