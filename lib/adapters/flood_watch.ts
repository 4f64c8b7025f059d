/** The time, that of the processor, and a timer; tests replace them. All times are in milliseconds. */
export interface FloodMeter {
  now(): number;
  /** The processor time of this thread; `undefined` where the runtime does not say. */
  processorTime(): number | undefined;
  /** Calls back after a time; returns what cancels that. */
  later(call: () => void, milliseconds: number): () => void;
}

/** The time between two looks, and the delay of a look that counts as late. */
const intervalMs = 50, lateMs = 75;

/**
 * The time in which all looks are late before calls end, their least number, and the share of the time in which the
 * processor worked. One stretch of work may be long, on a slow machine or while V8 collects garbage.
 */
const periodMs = 600, leastLooks = 3, leastShare = 0.3;

/** How long a call has waited at least when it ends. */
const leastWaitMs = 300;

/** Looks that were all late: since when, the processor time then, and their number. */
interface LateLooks {
  readonly since: number;
  readonly processor: number;
  looks: number;
}

interface WaitingCall {
  readonly since: number;
  readonly end: () => void;
}

/**
 * Ends calls to servers that send interim answers (`103 Early Hints`) without an end. The runtime reads them on the
 * thread that answers requests, and gives no sign of them but that: timers are late again and again, while the
 * processor works. Postern's work lets others have their turn every ten milliseconds, and has no such delays one after
 * the other. All calls that wait for their answer end then, as it is not visible whose server it is.
 */
export class FloodWatch {
  readonly #meter: FloodMeter;
  readonly #waiting = new Set<WaitingCall>();
  #cancel: (() => void) | undefined;
  #late: LateLooks | undefined;

  constructor(meter: FloodMeter = meterOfRuntime) {
    this.#meter = meter;
  }

  /** Notes a call that waits, and how to end it. Call the result when it waits no longer. */
  wait(end: () => void): () => void {
    const call: WaitingCall = { since: this.#meter.now(), end };
    this.#waiting.add(call);
    if (this.#waiting.size === 1) this.#plan();
    return () => {
      if (this.#waiting.delete(call) && this.#waiting.size === 0) this.#rest();
    };
  }

  #plan(): void {
    const since = this.#meter.now(), processor = this.#meter.processorTime();
    if (processor === undefined) return;
    this.#cancel = this.#meter.later(() => this.#look({ since, processor }), intervalMs);
  }

  #rest(): void {
    this.#cancel?.();
    this.#cancel = this.#late = undefined;
  }

  #look(planned: { readonly since: number; readonly processor: number }): void {
    const now = this.#meter.now();
    if (now - planned.since < intervalMs + lateMs) this.#late = undefined;
    else {
      const late = this.#late ??= { ...planned, looks: 0 }, lasted = now - late.since;
      late.looks++;
      const worked = (this.#meter.processorTime() ?? 0) - late.processor;
      if (lasted >= periodMs && late.looks >= leastLooks && worked >= leastShare * lasted) {
        this.#endCalls(now);
      }
    }
    if (this.#waiting.size > 0) this.#plan();
    else this.#rest();
  }

  #endCalls(now: number): void {
    this.#late = undefined;
    for (const call of this.#waiting) {
      if (now - call.since >= leastWaitMs && this.#waiting.delete(call)) call.end();
    }
  }
}

interface ProcessorTimes {
  readonly process?: { threadCpuUsage?(): { readonly user: number; readonly system: number } };
}

const meterOfRuntime: FloodMeter = {
  now: () => performance.now(),
  processorTime() {
    try {
      const used = (globalThis as ProcessorTimes).process?.threadCpuUsage?.();
      return used && (used.user + used.system) / 1_000;
    } catch { // workerd has the function, which throws.
      return undefined;
    }
  },
  later(call, milliseconds) {
    const timer = setTimeout(call, milliseconds);
    return () => clearTimeout(timer);
  },
};
