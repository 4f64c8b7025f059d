import type { Lifetime } from "../ports.ts";

/** The bounds of an {@link AnswerMemory}, in bytes of heap. */
export interface AnswerMemoryOptions {
  /** All answers together; the evaluation that has held some for longest may go beyond it. */
  readonly most: number;
  /** The answers of one evaluation. */
  readonly mostOfOne: number;
  /** All answers of evaluations that hold no more than {@link freeBytes}, besides `most`. */
  readonly small: number;
}

/** Bytes that an evaluation may hold even when large answers of others take all the rest. Most answers are shorter. */
const freeBytes = 128 * 1024;

/** The answers of one evaluation. */
interface Holder {
  readonly lifetime: Lifetime;
  bytes: number;
  /** The bytes of answers that were read; the others are of those that are being read. */
  kept: number;
  isOver: boolean;
}

/** The bytes for which an answer waits. */
interface Wanted {
  readonly holder: Holder;
  /** The bytes that it needs besides those that it has. */
  readonly bytes: number;
  /** Whether `bytes` are what it will probably need: then it takes no more of them than it may. */
  readonly isGuess: boolean;
  /** Called when bytes of it count. */
  readonly taken: (bytes: number) => void;
}

interface Waiting extends Wanted {
  readonly end: (hasRoom: boolean) => void;
}

/**
 * Bounds the heap that answers of the cluster and of services take, all together, from their first bytes to the end of
 * the evaluation that loaded them: whoever creates objects chooses how many evaluations run at once. An answer for which
 * there is no room waits until others end. The evaluation that has held or awaited most for longest never waits, so
 * they cannot wait for each other. Calls without a lifetime are made for all requests together, such as those of caches:
 * they never wait either, and count until they have their value.
 */
export class AnswerMemory {
  readonly #options: AnswerMemoryOptions;
  readonly #holders = new Map<Lifetime, Holder>();
  /** The holders with more than the free bytes, and those that have waited; the oldest first. */
  readonly #large = new Set<Holder>();
  readonly #waiting = new Set<Waiting>();
  #used = 0;

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

  /** Whether an answer with so many bytes has room for more of them, now or ever. */
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

  /** Counts bytes, negative ones when they are freed. */
  add(holder: Holder | undefined, bytes: number): void {
    this.#used += bytes;
    if (holder !== undefined) holder.bytes += bytes;
    if (bytes < 0) this.#grant();
  }

  /** Waits until there is room for bytes, which then count; false when the signal or the evaluation ends first. */
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
    this.#large.delete(holder);
    for (const waiting of this.#waiting) if (waiting.holder === holder) waiting.end(false);
    const { kept } = holder;
    holder.kept = 0;
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

  /** As much of a guess as an evaluation may hold: nothing for the oldest, which takes what it needs when it needs it. */
  #allowed(holder: Holder, bytes: number): number {
    const [oldest] = this.#large;
    return holder === oldest ? 0 : Math.max(0, Math.min(bytes, this.#options.mostOfOne - holder.bytes));
  }
}

/** Whether there is room for more bytes. */
type Room = "now" | "later" | "never";

/** The bytes of one answer, from its first ones until it is part of an evaluation or of no use. */
export class AnswerReading {
  readonly #memory: AnswerMemory;
  readonly #holder: Holder | undefined;
  #bytes = 0;
  /** The least that it holds until it is read, because it waited for so many bytes. */
  #least = 0;
  #most = 0;
  /** The bytes for which there was no room. */
  #refused = 0;
  #room: Room = "now";

  constructor(memory: AnswerMemory, holder: Holder | undefined) {
    this.#memory = memory;
    this.#holder = holder;
  }

  /** The most bytes that it needed at a time. */
  get most(): number {
    return this.#most;
  }

  /** Whether it needed more than every evaluation may hold. */
  get isLarge(): boolean {
    return this.#most > freeBytes;
  }

  /** Why there was no room. */
  get lack(): string {
    return this.isTooLarge
      ? "what a request loads would take too much memory: select fewer objects, or use a GlobalContextEntry"
      : "the answers of other requests take too much memory";
  }

  /** Whether the answer can never have the room that it needed last: it is too large, or its evaluation has ended. */
  get isTooLarge(): boolean {
    return this.#room === "never";
  }

  /** Whether the answer was refused room that it may have later. */
  get mustWait(): boolean {
    return this.#room === "later";
  }

  /** Holds so many bytes, instead of those before; false when there is no room. */
  hold(bytes: number): boolean {
    const more = Math.max(bytes, this.#least) - this.#bytes;
    this.#room = more <= 0 ? "now" : this.#memory.room({ holder: this.#holder, bytes: this.#bytes, more });
    if (this.#room === "now") this.#add(more);
    else this.#refused = bytes;
    this.#most = Math.max(this.#most, bytes);
    return this.#room === "now";
  }

  /** Waits until it may hold the bytes that {@link hold} refused, and holds them; false when the signal aborts first. */
  async wait(signal: AbortSignal | undefined): Promise<boolean> {
    return await this.#wait({ bytes: this.#refused - this.#bytes, isGuess: false }, signal);
  }

  /**
   * Gives back everything, and waits until the answer may be read again from its start: until there is room for several
   * times what was refused, so that it is not read again and again. False when the signal aborts first.
   */
  async restart(signal: AbortSignal | undefined): Promise<boolean> {
    this.end();
    return await this.reserve(growth * this.#refused, signal);
  }

  /** Waits for room for bytes that the answer will probably take. False when the signal aborts first. */
  async reserve(bytes: number, signal: AbortSignal | undefined): Promise<boolean> {
    const hasRoom = await this.#wait({ bytes, isGuess: true }, signal);
    if (hasRoom) this.#least = this.#bytes;
    return hasRoom;
  }

  /**
   * The answer was read and takes so many bytes. They are those of the evaluation from now on, or are free when there is
   * none.
   */
  finish(bytes: number): void {
    this.#least = 0;
    this.hold(bytes);
    if (this.#holder === undefined || this.#holder.isOver) return this.end();
    this.#holder.kept += this.#bytes;
    this.#bytes = 0;
  }

  /** Frees the bytes of an answer that was not finished. */
  end(): void {
    this.#least = 0;
    this.#add(-this.#bytes);
  }

  async #wait(wanted: Pick<Wanted, "bytes" | "isGuess">, signal: AbortSignal | undefined): Promise<boolean> {
    const holder = this.#holder;
    if (holder === undefined) return true;
    const taken = (bytes: number): void => void (this.#bytes += bytes);
    const hasRoom = await this.#memory.wait({ ...wanted, holder, taken }, signal);
    this.#room = hasRoom ? "now" : "later";
    return hasRoom;
  }

  #add(bytes: number): void {
    this.#bytes += bytes;
    this.#memory.add(this.#holder, bytes);
  }
}

/** How many times the room that was refused must be free before an answer is read again. */
const growth = 16;
