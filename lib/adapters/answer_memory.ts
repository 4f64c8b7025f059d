import type { Lifetime } from "../ports.ts";
import {
  AnswerReading,
  freeBytes,
  type Holder,
  type Room,
  type SharedMemory,
  type Wanted,
} from "./answer_reading.ts";

/** The bounds of an {@link AnswerMemory}, in bytes of heap. */
export interface AnswerMemoryOptions {
  /** All answers together; the evaluation that has held some for longest may go beyond it. */
  readonly most: number;
  /** The answers of one evaluation. */
  readonly mostOfOne: number;
  /** All answers of evaluations that hold no more than {@link freeBytes}, besides `most`. */
  readonly small: number;
  /** Called once for every {@link bytesBetween} bytes that answers take, so that memory can be freed first. */
  readonly beforeMore?: () => void;
}

/**
 * Bytes of answers between two calls of `beforeMore`, which reads the memory of the process: a look costs as much as a
 * small answer.
 */
const bytesBetween = 65_536;

interface Waiting extends Wanted {
  readonly end: (hasRoom: boolean) => void;
}

/**
 * Bounds the heap that answers of the cluster and of services take, all together, from their first bytes to the end of
 * the evaluation that loaded them: whoever creates objects chooses how many evaluations run at once. An answer for
 * which there is no room waits until others end. The evaluation that has held or awaited most for longest never waits,
 * so they cannot wait for each other. Calls without a lifetime are made for all requests together, such as those of
 * caches: they never wait either, and count until they have their value.
 */
export class AnswerMemory implements SharedMemory {
  readonly #options: AnswerMemoryOptions;
  readonly #holders = new Map<Lifetime, Holder>();
  /**
   * The holders with more than the free bytes, and those that have waited; the oldest first. Each stays until its
   * evaluation and all its calls have ended.
   */
  readonly #large = new Set<Holder>();
  readonly #waiting = new Set<Waiting>();
  #used = 0;
  /** The bytes that answers took since the last call of `beforeMore`. */
  #taken = 0;

  constructor(options: AnswerMemoryOptions = { most: Infinity, mostOfOne: Infinity, small: 0 }) {
    this.#options = options;
  }

  /** The bytes that all answers hold. */
  get used(): number {
    return this.#used;
  }

  /** Begins to count the bytes of an answer for an evaluation, or for no particular one. */
  reading(lifetime: Lifetime | undefined): AnswerReading {
    return new AnswerReading(this, lifetime === undefined ? undefined : this.#holderOf(lifetime));
  }

  #holderOf(lifetime: Lifetime): Holder {
    const found = this.#holders.get(lifetime);
    if (found !== undefined) return found;
    const holder: Holder = { lifetime, bytes: 0, kept: 0, isOver: false };
    this.#holders.set(lifetime, holder);
    lifetime.whenEnded(() => this.#end(holder));
    return holder;
  }

  room({ holder, bytes, more }: { holder: Holder | undefined; bytes: number; more: number }): Room {
    const { most, mostOfOne, small } = this.#options;
    if (holder === undefined) return bytes + more > mostOfOne ? "never" : "now";
    const all = holder.bytes + more;
    if (holder.isOver || all > mostOfOne) return "never";
    if (all <= freeBytes && this.#used + more <= most + small) return "now";
    this.#large.add(holder);
    const [oldest] = this.#large;
    return this.#used + more <= most || holder === oldest ? "now" : "later";
  }

  add(holder: Holder | undefined, bytes: number): void {
    this.#taken += Math.max(0, bytes);
    if (this.#taken >= bytesBetween) {
      this.#taken = 0;
      this.#options.beforeMore?.();
    }
    this.#used += bytes;
    if (holder !== undefined) {
      holder.bytes += bytes;
      if (holder.isOver && holder.bytes === 0) this.#large.delete(holder);
    }
    if (bytes < 0) this.#grant();
  }

  wait(wanted: Wanted, signal: AbortSignal | undefined): Promise<boolean> {
    const { holder } = wanted;
    if (holder.isOver || signal?.aborted === true) return Promise.resolve(false);
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const abort = (): void => waiting.end(false);
    const waiting: Waiting = {
      ...wanted,
      end: (hasRoom) => {
        this.#waiting.delete(waiting);
        signal?.removeEventListener("abort", abort);
        if (hasRoom) holder.lifetime.waitsFor = undefined;
        resolve(hasRoom);
      },
    };
    holder.lifetime.waitsFor = "memory that answers of others take";
    this.#large.add(holder);
    signal?.addEventListener("abort", abort, { once: true });
    this.#waiting.add(waiting);
    this.#grant();
    return promise;
  }

  #end(holder: Holder): void {
    holder.isOver = true;
    this.#holders.delete(holder.lifetime);
    for (const waiting of this.#waiting) if (waiting.holder === holder) waiting.end(false);
    const { kept } = holder;
    holder.kept = 0;
    // While its calls still read answers it stays among the large ones: the next oldest must not take as much besides.
    this.add(holder, -kept);
    // Another evaluation may be the oldest now.
    if (kept === 0) this.#grant();
  }

  /** Lets those go on for which there is room now. */
  #grant(): void {
    for (const { holder, bytes, isGuess, taken, end } of this.#waiting) {
      const wanted = isGuess ? this.#allowed(holder, bytes) : bytes;
      const room = this.room({ holder, bytes: 0, more: wanted });
      if (room === "later") continue;
      if (room === "now") {
        this.add(holder, wanted);
        taken(wanted);
      }
      end(room === "now");
    }
  }

  /**
   * The bytes that an evaluation takes before its answer arrives, of the bytes that were estimated for the answer. The
   * oldest takes none, as it never waits.
   */
  #allowed(holder: Holder, bytes: number): number {
    const [oldest] = this.#large;
    return holder === oldest ? 0 : Math.max(0, Math.min(bytes, this.#options.mostOfOne - holder.bytes));
  }
}
