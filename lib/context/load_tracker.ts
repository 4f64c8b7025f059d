import { Fault, isFault, type Json, type StepBudget } from "../json/mod.ts";
import type { Lifetime, Ports } from "../ports.ts";
import type { EntrySource } from "./entry_source.ts";
import type { Observer } from "./observer.ts";
import { EvaluationLifetime } from "./evaluation_lifetime.ts";
import { LoadTurns } from "./load_turns.ts";
import { LoopProgress, Progress } from "./progress.ts";
import { TimeSlices, type Turn } from "./time_slices.ts";

/**
 * A source of values that may be absent: a kind of context entry, or the cluster in which generate rules look up
 * sources and targets.
 */
export type AbsentSource = EntrySource | "downstream";

/** The ports and limits of a {@link LoadTracker}. */
export interface LoadOptions {
  readonly ports: Ports;
  /** Makes the signal that ends loads. A request without loads never calls it. */
  readonly deadline?: (() => AbortSignal) | undefined;
  /** Milliseconds that evaluation may take in all. */
  readonly budget?: number | undefined;
  /** The sources that cannot be loaded, as on the command line without a cluster. */
  readonly absent?: readonly AbsentSource[] | undefined;
  /** Receives each load and read, when the request is to be explained. */
  readonly observer?: Observer | undefined;
}

/** Loads the external values of one request, each once. */
export class LoadTracker {
  readonly ports: Ports;
  /** Set only for requests that are explained. */
  readonly observer: Observer | undefined;
  readonly #deadline: (() => AbortSignal) | undefined;
  readonly #absent: readonly AbsentSource[];
  readonly #turns: TimeSlices;
  #progress: Progress | undefined;
  /** The pending reads when the evaluation of the rule began. */
  #pendingReadsBefore = 0;
  #made: Map<() => unknown, unknown> | undefined;
  #signal: AbortSignal | undefined;
  #lifetime: EvaluationLifetime | undefined;
  #loadTurns: LoadTurns | undefined;
  readonly #answers = new Map<string, Json | Fault>();
  readonly #pending = new Map<string, Pending>();
  #rounds = 0;
  readonly #late: string[] = [];
  #loads = 0;
  #pendingReads = 0;

  constructor({ ports, deadline, absent = [], observer, budget }: LoadOptions) {
    this.#turns = new TimeSlices(ports, budget);
    this.ports = ports;
    this.observer = observer;
    this.#deadline = deadline;
    this.#absent = absent;
  }

  /** Whether the source can be loaded from. Otherwise context entries of the kind count as not declared. */
  serves(source: AbsentSource): boolean {
    return !this.#absent.includes(source);
  }

  /**
   * Whether the next rule may begin. It reads the clock every few rules only, unless rules are slow: most take
   * microseconds, and slow ones have separate budgets.
   */
  beforeRule(): Turn {
    return this.#turns.beforeRule();
  }

  /**
   * Whether a loop may evaluate its next element. When it must pause, the rule's result is void, and {@link loop}
   * keeps the progress of the loop. A loop may pause once it `hasMoved` by an element since its rule began; otherwise
   * it would never advance.
   */
  beforeElement(hasMoved: boolean): Turn {
    if (this.#turns.isPausing) return "pause";
    return this.#noted(this.#turns.beforeElement(hasMoved));
  }

  /** As {@link beforeElement}, before a stage of long work. */
  beforeStage(): Turn {
    return this.#noted(this.#turns.beforeStage());
  }

  /** A rule that pauses is evaluated again, as if a value had been missing. */
  #noted(turn: Turn): Turn {
    if (turn === "pause") this.#pendingReads++;
    return turn;
  }

  /** Notes that the evaluation of a rule begins, with the progress of its last evaluation if it paused or waited. */
  beginRule(progress: Progress | undefined): void {
    this.#progress = progress;
    this.#pendingReadsBefore = this.#pendingReads;
    this.#turns.beginRule(progress?.isExhausted ?? false);
    progress?.restart();
  }

  /**
   * Returns the progress of a rule that pauses or waits; `undefined` if it has no loops and draws no random numbers.
   */
  suspendRule(): Progress | undefined {
    if (this.#progress !== undefined) this.#progress.isExhausted = this.#turns.isExhausted;
    return this.#progress;
  }

  /** The steps that the rule may take before it pauses. */
  get steps(): StepBudget {
    return this.#turns.steps;
  }

  /** Whether the rule used up its steps. Its result is then void, and the rule an error. */
  get isExhausted(): boolean {
    return this.#turns.isExhausted;
  }

  /** Whether all values that the rule has read were loaded, so that its progress counts. */
  get isComplete(): boolean {
    return this.#pendingReads === this.#pendingReadsBefore;
  }

  /**
   * Returns the progress of the loop that begins now. Call it at the same point of each evaluation, before the loop
   * reads anything. Once a value was pending the progress is a new one, which nobody keeps.
   */
  loop<T>(begin: () => T): LoopProgress<T> {
    if (!this.isComplete) return new LoopProgress(begin());
    const progress = this.#progress ??= new Progress();
    if (progress.isResuming) this.#turns.extend();
    return progress.loop(begin);
  }

  /**
   * Returns a random number. A rule that waited gets the same number when it is evaluated again. Numbers are kept for
   * that, so they take steps.
   */
  random(): number {
    const { entropy } = this.ports;
    if ((this.steps.left -= stepsOfNumber) < 0) return entropy.next();
    return (this.#progress ??= new Progress()).draw(() => entropy.next());
  }

  /** Runs the body of a loop. Loops inside it keep their progress in that of this loop. */
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
    return this.#signal ??= this.#deadline?.();
  }

  /** The fields that every call to a port carries. */
  get call(): { readonly signal?: AbortSignal; readonly lifetime: Lifetime } {
    const { signal } = this, lifetime = this.#lifetime ??= new EvaluationLifetime();
    return signal === undefined ? { lifetime } : { signal, lifetime };
  }

  /** Notes that the evaluation has ended: the memory of what it loaded is free. */
  end(): void {
    this.#loadTurns?.clear();
    this.#lifetime?.end();
  }

  /** The number of loads that were started, for traces and tests. */
  get loads(): number {
    return this.#loads;
  }

  /** The keys of loads that were still pending when the request's time was over. */
  get late(): readonly string[] {
    return this.#late;
  }

  /** Counts reads of pending values: an evaluation that increased it must run again. */
  get pendingReads(): number {
    return this.#pendingReads;
  }

  /** Whether evaluation stopped at a pending value or for other requests. Its result is then void. */
  get waiting(): boolean {
    return this.#turns.isPausing || this.#pending.size > 0;
  }

  /**
   * The answer to an external call. The first call starts the load and returns a pending fault, unless the answer is
   * there at once; the caller then calls {@link awaitLoads} and evaluates again. A request makes each call once.
   * Explanations show its name; its key also holds secrets, such as credentials.
   */
  load(name: string, load: () => Promise<Json | Fault> | Json | Fault, secret = ""): Json | Fault {
    const key = secret === "" ? name : `${name}\n${secret}`;
    const answer = this.#answers.get(key);
    if (answer !== undefined) {
      this.observer?.loading(name, "cached");
      return answer;
    }
    const isPending = this.#pending.has(key);
    if (!isPending && this.#rounds >= maxRounds) {
      return new Fault(`failed to load ${name}: values were loaded ${maxRounds} times, one after the other`);
    }
    this.observer?.loading(name, isPending ? "under way" : "begins");
    if (!isPending) {
      this.#loads++;
      const loaded = (this.#loadTurns ??= new LoadTurns(maxUnderWay)).begin(load);
      if (!(loaded instanceof Promise)) {
        this.#answers.set(key, loaded);
        this.observer?.loaded(name, loaded);
        return loaded;
      }
      this.#pending.set(key, { name, done: this.#remember(key, name, loaded) });
    }
    this.#pendingReads++;
    return underWay;
  }

  /** Waits until all loads have ended, or until the deadline, and lets other requests run. */
  async awaitLoads(): Promise<void> {
    if (this.#turns.isPausing) await this.ports.scheduler?.pause();
    if (this.#pending.size > 0) await this.#loaded();
    this.#turns.resume();
  }

  /** Lets other requests run before work that cannot pause, if the slice is used up; `undefined` if it is not. */
  rest(): Promise<void> | undefined {
    return this.#turns.rest();
  }

  async #loaded(): Promise<void> {
    this.#rounds++;
    while (this.#pending.size > 0) {
      const all = Promise.all([...this.#pending.values()].map(({ done }) => done));
      const { signal } = this;
      await (signal === undefined ? all : Promise.race([all, aborted(signal)]));
      if (signal?.aborted) this.#giveUp();
    }
  }

  async #remember(key: string, name: string, loading: Promise<Json | Fault>): Promise<void> {
    let answer: Json | Fault;
    try {
      answer = await loading;
    } catch (cause) {
      answer = new Fault(`failed to load ${name}: ${cause instanceof Error ? cause.message : String(cause)}`);
    }
    if (!this.#pending.delete(key)) return;
    if (isFault(answer) && this.#signal?.aborted) this.#late.push(name);
    this.#answers.set(key, answer);
    this.observer?.loaded(name, answer);
  }

  /** At the deadline every pending load gets the same fault, which names the loads that were too slow. */
  #giveUp(): void {
    const waitsFor = this.#lifetime?.waitsFor,
      reason = waitsFor === undefined ? "" : ` (waiting for ${waitsFor})`;
    for (const [key, { name }] of this.#pending) {
      const answer = new Fault(`failed to load ${name}: the request's deadline passed${reason}`);
      this.#answers.set(key, answer);
      this.#late.push(name);
      this.observer?.loaded(name, answer);
    }
    this.#pending.clear();
    this.#loadTurns?.clear();
  }
}

/** A load that has begun. */
interface Pending {
  readonly name: string;
  readonly done: Promise<void>;
}

/**
 * The most rounds of loads in a request. Values that depend on each other load one after the other; a policy that
 * needs more rounds would never end, for example because its calls contain random text.
 */
const maxRounds = 200;

/** The most loads of a request that are under way; further ones wait for their turn. */
const maxUnderWay = 32;

/** The steps for a random number that is kept. */
const stepsOfNumber = 4;

const underWay = new Fault("value is being loaded");

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
