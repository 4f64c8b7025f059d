import { Fault, type Json, jsonLength, type StepBudget } from "../json/mod.ts";
import type { Lifetime, Ports } from "../ports.ts";
import type { EntrySource } from "./entry_source.ts";
import type { Observer } from "./observer.ts";
import { LoopProgress, Progress } from "./progress.ts";
import { pendingValue, RequestLoads } from "./request_loads.ts";
import { type GoAhead, TimeSlices } from "./time_slices.ts";

/**
 * A source of values that may be absent: a kind of context entry, the cluster in which generate rules look up sources
 * and targets, or that of the parameters of admission policies.
 */
export type AbsentSource = EntrySource | "downstream" | "parameters";

/** The ports and limits of a {@link LoadTracker}. */
export interface LoadOptions {
  readonly ports: Ports;
  /** Makes the signal that ends loads, and the wait for a turn. A request that waits for nothing never calls it. */
  readonly deadline?: (() => AbortSignal) | undefined;
  /** Milliseconds that evaluation may take in all. */
  readonly budget?: number | undefined;
  /** The namespace of the request, which takes turns with others. */
  readonly lane?: string | undefined;
  /** The sources that cannot be loaded, as on the command line without a cluster. */
  readonly absent?: readonly AbsentSource[] | undefined;
  /** Receives each load and read, when the request is to be explained. */
  readonly observer?: Observer | undefined;
}

/**
 * Follows the evaluation of one request through its rounds: which values are being loaded, how far a rule that paused
 * has come, and whether the next rule or element has its turn.
 */
export class LoadTracker {
  readonly ports: Ports;
  /** Set only for requests that are explained. */
  readonly observer: Observer | undefined;
  readonly #deadline: (() => AbortSignal) | undefined;
  readonly #absent: readonly AbsentSource[];
  readonly #slices: TimeSlices;
  readonly #lane: string | undefined;
  #progress: Progress | undefined;
  /** The pending reads when the evaluation of the rule began. */
  #pendingReadsBefore = 0;
  #made: Map<() => unknown, unknown> | undefined;
  /** Absent until the request loads its first value: most load none. */
  #loads: RequestLoads | undefined;
  #pendingReads = 0;
  /** The characters that further patches and generated objects may have. */
  #bytesToWrite = mostWritten;
  /** The same in the evaluation that is under way, which may be void. */
  #bytesInRound = mostWritten;

  constructor({ ports, deadline, absent = [], observer, budget, lane }: LoadOptions) {
    this.#slices = new TimeSlices(ports, budget);
    this.#lane = lane;
    this.ports = ports;
    this.observer = observer;
    this.#deadline = deadline;
    this.#absent = absent;
  }

  /** Whether the source can be loaded from. Otherwise context entries of the kind count as not declared. */
  serves(source: AbsentSource): boolean {
    return !this.#absent.includes(source);
  }

  /** Whether the next rule may begin. The clock is read every few rules only, unless they are slow. */
  beforeRule(): GoAhead {
    return this.#slices.beforeRule();
  }

  /**
   * Whether a loop may evaluate its next element. It may pause once it `hasMoved` by an element since its rule began:
   * the rule's result is then void, and {@link loop} keeps the loop's progress.
   */
  beforeElement(hasMoved: boolean): GoAhead {
    if (this.#slices.isPausing) return "pause";
    return this.#noted(this.#slices.beforeElement(hasMoved));
  }

  /** As {@link beforeElement}, before a stage of long work. */
  beforeStage(): GoAhead {
    return this.#noted(this.#slices.beforeStage());
  }

  /** A rule that pauses is evaluated again, as if a value had been missing. */
  #noted(goAhead: GoAhead): GoAhead {
    if (goAhead === "pause") this.#pendingReads++;
    return goAhead;
  }

  /** Notes that the evaluation of a rule begins, with the progress of its last one. */
  beginRule(progress: Progress | undefined): void {
    this.#progress = progress;
    this.#pendingReadsBefore = this.#pendingReads;
    this.#bytesInRound = this.#bytesToWrite;
    this.#slices.beginRule(progress?.isExhausted ?? false);
    progress?.restart();
  }

  /**
   * Returns the progress of a rule that pauses or waits; `undefined` if it has no loops and draws no random numbers.
   */
  suspendRule(): Progress | undefined {
    if (this.#progress !== undefined) this.#progress.isExhausted = this.#slices.isExhausted;
    return this.#progress;
  }

  /** The steps of the rule before it pauses. */
  get steps(): StepBudget {
    return this.#slices.steps;
  }

  /** Whether the rule used up its steps: its result is void, and it is an error. */
  get isExhausted(): boolean {
    return this.#slices.isExhausted;
  }

  /** Whether the request's steps are used up: further rules have {@link fewSteps}. */
  get areStepsUsedUp(): boolean {
    return this.#slices.areUsedUp;
  }

  /** Takes steps of the request for work that {@link steps} does not count. */
  charge(steps: number): void {
    this.#slices.charge(steps);
  }

  /**
   * Counts a patch or an object that expressions made for the request; a fault when all together are too large.
   *
   * @param extra the bytes that it takes besides its text
   */
  countWritten(made: Json, extra = 0): Fault | undefined {
    const left = this.#bytesInRound;
    if (left < 0) return tooMuchWritten;
    this.#bytesInRound = left - jsonLength(made, left) - extra;
    if (this.isComplete) this.#bytesToWrite = this.#bytesInRound;
    return this.#bytesInRound < 0 ? tooMuchWritten : undefined;
  }

  /** Whether all values that the rule has read were loaded, so that its progress counts. */
  get isComplete(): boolean {
    return this.#pendingReads === this.#pendingReadsBefore;
  }

  /**
   * Returns the progress of the loop that begins now. Call it at the same point of each evaluation, before the loop
   * reads anything. Once a value was pending nobody keeps it.
   */
  loop<T>(begin: () => T): LoopProgress<T> {
    if (!this.isComplete) return new LoopProgress(begin());
    const progress = this.#progress ??= new Progress();
    if (progress.isResuming) this.#slices.extend();
    return progress.loop(begin);
  }

  /** A random number; a rule that is evaluated again gets the same. It is kept for that, so it takes steps. */
  random(): number {
    const { entropy } = this.ports;
    if ((this.steps.left -= stepsOfNumber) < 0) return entropy.next();
    return (this.#progress ??= new Progress()).draw(() => entropy.next());
  }

  /** Runs the body of a loop, which keeps the progress of loops inside it. */
  inside<T, R>(loop: LoopProgress<T>, body: () => R): R {
    const outer = this.#progress;
    this.#progress = loop.inner;
    loop.inner.restart();
    try {
      return body();
    } finally {
      this.#progress = outer;
    }
  }

  /** Returns a value that a request has once: `make` creates it when it is first needed, and identifies it. */
  once<T>(make: () => T): T {
    const made = this.#made ??= new Map<() => unknown, unknown>();
    if (!made.has(make)) made.set(make, make());
    return made.get(make) as T;
  }

  /** The signal that ends the request's loads. */
  get signal(): AbortSignal | undefined {
    return this.#loadsOnDemand.signal;
  }

  /** The fields that every call to a port carries. */
  get call(): { readonly signal?: AbortSignal; readonly lifetime: Lifetime } {
    return this.#loadsOnDemand.call;
  }

  /** Notes that the evaluation has ended: the memory of what it loaded is free. */
  end(): void {
    this.#loads?.end();
  }

  get #loadsOnDemand(): RequestLoads {
    return this.#loads ??= new RequestLoads(this.#deadline, this.observer);
  }

  get #isLoading(): boolean {
    return this.#loads?.areUnderWay === true;
  }

  /** The number of loads that were started, for traces and tests. */
  get loads(): number {
    return this.#loads?.count ?? 0;
  }

  /** The names of loads that were pending when the request's time was over. */
  get late(): readonly string[] {
    return this.#loads?.late ?? [];
  }

  /** Counts reads of pending values: an evaluation that increased it must run again. */
  get pendingReads(): number {
    return this.#pendingReads;
  }

  /** Whether evaluation stopped at a pending value or for other requests. Its result is then void. */
  get waiting(): boolean {
    return this.#slices.isPausing || this.#isLoading;
  }

  /**
   * The answer to an external call, which a request makes once, or a pending fault: the caller then calls
   * {@link awaitLoads} and evaluates again. Explanations show the name; its key also holds secrets.
   */
  load(name: string, load: () => Promise<Json | Fault> | Json | Fault, secret = ""): Json | Fault {
    const answer = this.#loadsOnDemand.load(name, load, secret);
    if (answer === pendingValue) this.#pendingReads++;
    return answer;
  }

  /** Waits while many requests of the namespace take long; `undefined` when evaluation may begin. */
  turn(): Promise<void> | undefined {
    return this.ports.scheduler?.begin?.(this.#lane, this.#deadline)?.then(() =>
      this.#slices.resume(this.#deadline?.().aborted)
    );
  }

  /** Waits until all loads have ended, or until the deadline, and lets other requests run. */
  async awaitLoads(): Promise<void> {
    if (this.#slices.isPausing) await this.ports.scheduler?.pause(this.#lane);
    if (this.#isLoading) await this.#loads!.done();
    this.#slices.resume();
  }

  /** Lets other requests run before work that cannot pause, if the slice is used up; `undefined` if it is not. */
  rest(): Promise<void> | undefined {
    return this.#slices.rest();
  }
}

/**
 * The bytes of all patches and generated objects of a request, as JSON: ten times what the API server takes of an
 * object, because a loop over a long list makes many that are dropped. Each element of a loop has steps of its own, so
 * the steps do not bound the texts that a loop makes of one text of the request. Whatever a void evaluation makes is
 * dropped, and counts until the rule is evaluated again.
 */
const mostWritten = 32 * 1024 * 1024;

const tooMuchWritten = new Fault(
  `the patches and objects that are made for this request have more than ${mostWritten} characters`,
);

/** The steps for a random number that is kept. */
const stepsOfNumber = 4;
