/** The slots of the memory that both threads share, in which the main thread reports its state. */
const beats = 0, readiness = 1, length = 2;

/** Milliseconds between two beats of the main thread: few until it is ready, so that probes notice that soon. */
const nextBeat = { loading: 250, ready: 1_000 };

/** The main thread's side. It reports that the event loop runs, and whether Postern is ready. */
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

  /** Stops the reports. */
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
 * The probe thread's side. It measures the time since the last new beat with a monotonic clock, so that a change of the
 * system time has no effect.
 */
export class PulseReader {
  readonly #memory: Int32Array<SharedArrayBuffer>;
  readonly #stalledAfter: number;
  readonly #now: () => number;
  #seen = -1;
  #seenAt = 0;

  /** The main thread counts as stalled after `stalledAfter` milliseconds without a beat. */
  constructor(memory: Int32Array<SharedArrayBuffer>, stalledAfter: number, now = () => performance.now()) {
    this.#memory = memory;
    this.#stalledAfter = stalledAfter;
    this.#now = now;
  }

  /** Reads the beats. Call it every few seconds: a stall counts from the first call that sees the last beat. */
  read(): Vitality {
    const seen = Atomics.load(this.#memory, beats), now = this.#now();
    if (seen !== this.#seen) {
      this.#seen = seen;
      this.#seenAt = now;
    }
    if (now - this.#seenAt > this.#stalledAfter) return "stalled";
    return Atomics.load(this.#memory, readiness) === 1 ? "ready" : "loading";
  }
}
