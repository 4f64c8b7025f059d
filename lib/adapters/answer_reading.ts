import type { Lifetime } from "../ports.ts";

/** Bytes that an evaluation may hold even when large answers of others take all the rest. Most answers are shorter. */
export const freeBytes = 128 * 1024;

/** The answers of one evaluation. */
export interface Holder {
  readonly lifetime: Lifetime;
  bytes: number;
  /** The bytes of answers that were read; the others are of those that are being read. */
  kept: number;
  isOver: boolean;
}

/** The bytes for which an answer waits. */
export interface Wanted {
  readonly holder: Holder;
  /** The bytes that it needs besides those that it has. */
  readonly bytes: number;
  /** Whether `bytes` are what it will probably need: then it takes no more of them than it may. */
  readonly isGuess: boolean;
  /** Called when bytes of it count. */
  readonly taken: (bytes: number) => void;
}

/** Whether there is room for more bytes. */
export type Room = "now" | "later" | "never";

/** The memory of all answers, as one of them sees it. */
export interface SharedMemory {
  /** Whether an answer with so many bytes has room for more of them, now or ever. */
  room(wanted: { readonly holder: Holder | undefined; readonly bytes: number; readonly more: number }): Room;
  /** Counts bytes, negative ones when they are freed. */
  add(holder: Holder | undefined, bytes: number): void;
  /** Waits until there is room for bytes, which then count; false when the signal or the evaluation ends first. */
  wait(wanted: Wanted, signal: AbortSignal | undefined): Promise<boolean>;
}

/** How many times the room that was refused must be free before an answer is read again. */
const growth = 16;

/** The bytes of one answer, from its first ones until it is part of an evaluation or of no use. */
export class AnswerReading {
  readonly #memory: SharedMemory;
  readonly #holder: Holder | undefined;
  #bytes = 0;
  /** The least that it holds until it is read, because it waited for so many bytes. */
  #least = 0;
  #most = 0;
  /** The bytes for which there was no room. */
  #refused = 0;
  #room: Room = "now";

  constructor(memory: SharedMemory, holder: Holder | undefined) {
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

  /** Whether its evaluation holds so much that others may wait for it. */
  get isAwaited(): boolean {
    return this.#holder !== undefined && this.#holder.bytes > freeBytes;
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

  /**
   * Waits until it may hold the bytes that {@link hold} refused, and holds them; false when the signal aborts first.
   */
  async wait(signal: AbortSignal | undefined): Promise<boolean> {
    return await this.#wait({ bytes: this.#refused - this.#bytes, isGuess: false }, signal);
  }

  /** Gives back everything, and waits for room for several times what was refused; false when the signal aborts. */
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
   * The answer was read and takes so many bytes. They are those of the evaluation from now on, or are free when there
   * is none.
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
