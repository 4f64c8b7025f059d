import { type Json, parseInStages, parseJsonText, sharedHeapSizeInStages } from "../json/mod.ts";
import { type Clock, elapsedOn, type Scheduler } from "../ports.ts";
import { inSlices } from "../slices.ts";

/** An event of at most this many characters is parsed and measured at once, in a few milliseconds. */
const shortEvent = 64 * 1024;

/** The clock, and the scheduler without which nothing pauses. */
interface EventSlicesOptions {
  readonly clock: Clock;
  readonly scheduler?: Scheduler | undefined;
}

/**
 * Divides the work on the events of a watch into slices, between which the process handles requests. Whoever may change
 * an object chooses how large it is and how often it changes, and every replica gets all events: an object with
 * hundreds of thousands of values takes a second.
 */
export class EventSlices {
  readonly #options: EventSlicesOptions;
  /** Milliseconds of work since the last pause. */
  #worked = 0;

  constructor(options: EventSlicesOptions) {
    this.#options = options;
  }

  /** Parses the line of an event, a long one in stages. It throws a SyntaxError when the line is no JSON. */
  parse(line: string): Json | Promise<Json> {
    return line.length <= shortEvent ? parseJsonText(line) : this.#parseLong(line);
  }

  async #parseLong(line: string): Promise<Json> {
    return await inSlices(parseInStages(line), this.#options.scheduler);
  }

  /** The bytes of heap of a value that came in so many characters; `undefined` where the caller counts them at once. */
  bytesOf(value: Json, characters: number): Promise<number> | undefined {
    return characters <= shortEvent
      ? undefined
      : inSlices(sharedHeapSizeInStages(value), this.#options.scheduler);
  }

  /** The time at which work begins, for {@link worked}. */
  now(): number {
    return elapsedOn(this.#options.clock);
  }

  /** Counts the work since a time. Returns a promise to wait for when the slice is used up. */
  worked(since: number): Promise<void> | undefined {
    const { scheduler } = this.#options;
    this.#worked += this.now() - since;
    if (scheduler === undefined || this.#worked < scheduler.sliceMilliseconds) return undefined;
    this.#worked = 0;
    return scheduler.pause();
  }
}
