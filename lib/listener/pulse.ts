/** The slots of the memory that both threads share, in which the main thread reports its state. */
const beats = 0, readiness = 1, length = 2;

/** Milliseconds from a beat of the main thread to the next: short until it is ready, so that probes soon see that it is. */
const nextBeat = { loading: 250, ready: 1_000 };

/** The main thread's side: it reports that its event loop moves, and whether it is ready. */
export class Pulse {
  readonly memory: Int32Array<SharedArrayBuffer> = new Int32Array(
    new SharedArrayBuffer(length * Int32Array.BYTES_PER_ELEMENT),
  );
  readonly #isReady: () => boolean;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(isReady: () => boolean) {
    this.#isReady = isReady;
    this.#beat();
  }

  /** Reports no more. */
  stop(): void {
    clearTimeout(this.#timer);
  }

  #beat(): void {
    const isReady = this.#isReady();
    Atomics.store(this.memory, readiness, isReady ? 1 : 0);
    Atomics.add(this.memory, beats, 1);
    this.#timer = setTimeout(() => this.#beat(), isReady ? nextBeat.ready : nextBeat.loading);
    Deno.unrefTimer(Number(this.#timer));
  }
}

/** The state of the main thread, as a probe sees it. */
export type Vitality = "ready" | "loading" | "stalled";

/**
 * The other thread's side. It counts the time since it saw a new beat with a clock of its own, so that a change of the
 * machine's time means nothing.
 */
export class PulseReader {
  readonly #memory: Int32Array<SharedArrayBuffer>;
  readonly #stalledAfter: number;
  readonly #now: () => number;
  #seen = -1;
  #seenAt = 0;

  /** With the milliseconds without a beat after which the main thread counts as stalled. */
  constructor(memory: Int32Array<SharedArrayBuffer>, stalledAfter: number, now = () => performance.now()) {
    this.#memory = memory;
    this.#stalledAfter = stalledAfter;
    this.#now = now;
  }

  /** Looks at the beats; to be called at least once in every few seconds, or a long stall counts from the next look. */
  look(): Vitality {
    const seen = Atomics.load(this.#memory, beats), now = this.#now();
    if (seen !== this.#seen) {
      this.#seen = seen;
      this.#seenAt = now;
    }
    if (now - this.#seenAt > this.#stalledAfter) return "stalled";
    return Atomics.load(this.#memory, readiness) === 1 ? "ready" : "loading";
  }
}
