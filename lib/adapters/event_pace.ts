import { type Json, parseInStages, parseJsonText, sharedHeapSizeInStages } from "../json/mod.ts";
import { type Clock, elapsedOn, type Scheduler } from "../ports.ts";
import { paced } from "../paced.ts";

/** The characters of an event that is parsed and measured at once, in a few milliseconds. */
const shortEvent = 64 * 1024;

/** The clock, and the scheduler without which nothing pauses. */
interface EventPaceOptions {
  readonly clock: Clock;
  readonly scheduler?: Scheduler | undefined;
}

/**
 * Lets others work between the events of a watch. Whoever may change an object chooses how large it is and how often it
 * changes, and every replica gets all events: an object with hundreds of thousands of values takes a second.
 */
export class EventPace {
  readonly #options: EventPaceOptions;
  /** Milliseconds of work since the last pause. */
  #worked = 0;

  constructor(options: EventPaceOptions) {
    this.#options = options;
  }

  /** Parses the line of an event, a long one in stages. It throws a SyntaxError when the line is no JSON. */
  parse(line: string): Json | Promise<Json> {
    return line.length <= shortEvent ? parseJsonText(line) : this.#parseLong(line);
  }

  async #parseLong(line: string): Promise<Json> {
    return await paced(parseInStages(line), this.#options.scheduler);
  }

  /** The bytes of heap of a value that came in so many characters; `undefined` when they are counted in no time. */
  bytesOf(value: Json, characters: number): Promise<number> | undefined {
    return characters <= shortEvent
      ? undefined
      : paced(sharedHeapSizeInStages(value), this.#options.scheduler);
  }

  /** A time of {@link worked}. */
  now(): number {
    return elapsedOn(this.#options.clock);
  }

  /** Notes work since a time; returns a promise when others have their turn before the next event. */
  worked(since: number): Promise<void> | undefined {
    const { scheduler } = this.#options;
    this.#worked += this.now() - since;
    if (scheduler === undefined || this.#worked < scheduler.sliceMilliseconds) return undefined;
    this.#worked = 0;
    return scheduler.pause();
  }
}
