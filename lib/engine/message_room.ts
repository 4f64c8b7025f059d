import type { LoadTracker } from "../context/mod.ts";
import { clipped } from "../json/mod.ts";

/** The most characters of a message: one that shows a field of the object could be as large as the request. */
const longest = 16_384;

/** Messages with fewer characters have room always. */
const short = 512;

/** The characters of all longer messages of a request: four hundred rules with the longest would take 6 MB. */
const most = 512 * 1024;

/** The room of a request for the messages of its rules. */
export class MessageRoom {
  #left = most;

  /** The room of the request that a tracker follows. */
  static of(tracker: LoadTracker): MessageRoom {
    return tracker.once(makeRoom);
  }

  /** A message as far as there is room. */
  fit(message: string): string {
    if (message.length <= short) return message;
    const fitting = clipped(message, Math.max(short, Math.min(longest, this.#left)));
    this.#left -= fitting.length;
    return fitting;
  }

  /** Whether every request has room for a message. */
  static isShort({ length }: string): boolean {
    return length <= short;
  }
}

function makeRoom(): MessageRoom {
  return new MessageRoom();
}
