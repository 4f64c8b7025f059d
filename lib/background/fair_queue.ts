/** An item that waits or is being processed. */
export interface Ticket<T> {
  readonly item: T;
  /** The owner of the item. Items of one lane are processed one after the other. */
  readonly lane: string;
  readonly bytes: number;
}

interface Lane<T> {
  readonly ready: Ticket<T>[];
  /** All items that count for the lane: ready, pausing, and the one in progress. */
  readonly held: Set<Ticket<T>>;
  bytes: number;
  busy: Ticket<T> | undefined;
}

/**
 * A queue that nobody can fill for others. Lanes take turns, one item at a time, and bytes are bounded in all: when
 * they are used up, the lane that holds most gives way, its newest item first. An item counts until it is
 * {@link release}d.
 *
 * ```ts
 * import { FairQueue } from "./fair_queue.ts";
 * import assert from "node:assert/strict";
 * const queue = new FairQueue<string>(30);
 * for (const item of ["a1", "a2", "a3"]) assert.deepEqual(queue.add({ item, lane: "a", bytes: 10 }), []);
 * assert.deepEqual(queue.add({ item: "b1", lane: "b", bytes: 10 }).map(({ item }) => item), ["a3"]);
 * assert.deepEqual([queue.next()?.item, queue.next()?.item, queue.next()], ["a1", "b1", undefined]);
 * ```
 */
export class FairQueue<T> {
  readonly #maxBytes: number;
  /** The lanes in the order of their turns. */
  readonly #lanes = new Map<string, Lane<T>>();
  #bytes = 0;
  #size = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The bytes of all items that were not released. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The number of items that were not released. */
  get size(): number {
    return this.#size;
  }

  /**
   * Adds an item; returns the items that lost their room: others, or this one. An item of any size needs at most half
   * of the room.
   */
  add(ticket: Ticket<T>): readonly Ticket<T>[] {
    const refused: Ticket<T>[] = [];
    const laneBytes = this.#lanes.get(ticket.lane)?.bytes ?? 0;
    while (this.#bytes + Math.min(ticket.bytes, this.#maxBytes / 2) > this.#maxBytes) {
      const [largest] = [...this.#lanes.values()].sort((left, right) => right.bytes - left.bytes);
      const victim = largest === undefined || largest.bytes <= laneBytes + ticket.bytes
        ? undefined
        : [...largest.held].findLast((each) => each !== largest.busy);
      if (victim === undefined) return [...refused, ticket];
      this.release(victim);
      refused.push(victim);
    }
    this.#hold(ticket);
    return refused;
  }

  /** Takes the next item. A lane with an item in progress gives none. */
  next(): Ticket<T> | undefined {
    for (const lane of this.#lanes.values()) {
      const ticket = lane.busy === undefined ? lane.ready.shift() : undefined;
      if (ticket === undefined) continue;
      lane.busy = ticket;
      return ticket;
    }
    return undefined;
  }

  /** Notes that an item waits for its next try: its lane continues without it. */
  pause(ticket: Ticket<T>): void {
    const lane = this.#lanes.get(ticket.lane);
    if (lane?.busy === ticket) this.#endTurn(ticket.lane, lane);
  }

  /** Notes that a pausing item is ready again; false when it lost its room meanwhile. */
  resume(ticket: Ticket<T>): boolean {
    const lane = this.#lanes.get(ticket.lane);
    if (lane === undefined || !lane.held.has(ticket)) return false;
    lane.ready.push(ticket);
    return true;
  }

  /** Removes a finished item. */
  release(ticket: Ticket<T>): void {
    const lane = this.#lanes.get(ticket.lane);
    if (lane === undefined || !lane.held.delete(ticket)) return;
    if (lane.busy === ticket) this.#endTurn(ticket.lane, lane);
    const at = lane.ready.indexOf(ticket);
    if (at >= 0) lane.ready.splice(at, 1);
    lane.bytes -= ticket.bytes;
    this.#bytes -= ticket.bytes;
    this.#size--;
    if (lane.held.size === 0) this.#lanes.delete(ticket.lane);
  }

  /** The items that were not released. */
  get held(): Ticket<T>[] {
    return [...this.#lanes.values()].flatMap(({ held }) => [...held]);
  }

  /** Puts a lane behind those that came while its item was in progress. */
  #endTurn(name: string, lane: Lane<T>): void {
    lane.busy = undefined;
    this.#lanes.delete(name);
    this.#lanes.set(name, lane);
  }

  #hold(ticket: Ticket<T>): void {
    const lane = this.#lanes.get(ticket.lane) ??
      { ready: [], held: new Set<Ticket<T>>(), bytes: 0, busy: undefined };
    this.#lanes.set(ticket.lane, lane);
    lane.ready.push(ticket);
    lane.held.add(ticket);
    lane.bytes += ticket.bytes;
    this.#bytes += ticket.bytes;
    this.#size++;
  }
}
