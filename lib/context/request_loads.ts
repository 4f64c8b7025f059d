import { Fault, isFault, type Json } from "../json/mod.ts";
import type { Lifetime } from "../ports.ts";
import { AnswerLifetime } from "../answer_lifetime.ts";
import { LoadTurns } from "./load_turns.ts";
import type { Observer } from "./observer.ts";

/** The fault that stands for a value until its load has ended. */
export const pendingValue = new Fault("value is being loaded");

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

/** The external calls of one request, each made once, and their answers. */
export class RequestLoads {
  readonly #deadline: (() => AbortSignal) | undefined;
  readonly #observer: Observer | undefined;
  #signal: AbortSignal | undefined;
  #lifetime: AnswerLifetime | undefined;
  #turns: LoadTurns | undefined;
  readonly #answers = new Map<string, Json | Fault>();
  readonly #pending = new Map<string, Pending>();
  #rounds = 0;
  #count = 0;
  readonly #late: string[] = [];

  /** `deadline` makes the signal that ends loads; the observer receives each load and read. */
  constructor(deadline: (() => AbortSignal) | undefined, observer: Observer | undefined) {
    this.#deadline = deadline;
    this.#observer = observer;
  }

  /** The signal that ends the loads. */
  get signal(): AbortSignal | undefined {
    return this.#signal ??= this.#deadline?.();
  }

  /** The fields that every call to a port carries. */
  get call(): { readonly signal?: AbortSignal; readonly lifetime: Lifetime } {
    const { signal } = this, lifetime = this.#lifetime ??= new AnswerLifetime();
    return signal === undefined ? { lifetime } : { signal, lifetime };
  }

  /** The number of loads that were started. */
  get count(): number {
    return this.#count;
  }

  /** The names of loads that were still pending at the deadline. */
  get late(): readonly string[] {
    return this.#late;
  }

  get areUnderWay(): boolean {
    return this.#pending.size > 0;
  }

  /**
   * The answer to a call; {@link pendingValue} until it is there, and a fault after too many rounds. The first call
   * starts the load. The observer gets the name without the secret.
   */
  load(name: string, load: () => Promise<Json | Fault> | Json | Fault, secret: string): Json | Fault {
    const key = secret === "" ? name : `${name}\n${secret}`;
    const answer = this.#answers.get(key);
    if (answer !== undefined) {
      this.#observer?.loading(name, "cached");
      return answer;
    }
    const isPending = this.#pending.has(key);
    if (!isPending && this.#rounds >= maxRounds) {
      return new Fault(`failed to load ${name}: values were loaded ${maxRounds} times, one after the other`);
    }
    this.#observer?.loading(name, isPending ? "under way" : "begins");
    if (isPending) return pendingValue;
    this.#count++;
    const loaded = (this.#turns ??= new LoadTurns(maxUnderWay)).begin(load);
    if (!(loaded instanceof Promise)) {
      this.#answers.set(key, loaded);
      this.#observer?.loaded(name, loaded);
      return loaded;
    }
    this.#pending.set(key, { name, done: this.#remember(key, name, loaded) });
    return pendingValue;
  }

  /** Waits until all loads have ended, or until the deadline. */
  async done(): Promise<void> {
    this.#rounds++;
    while (this.#pending.size > 0) {
      const all = Promise.all([...this.#pending.values()].map(({ done }) => done));
      const { signal } = this;
      await (signal === undefined ? all : Promise.race([all, aborted(signal)]));
      if (signal?.aborted) this.#giveUp();
    }
  }

  /** Notes that the evaluation has ended: the memory of what it loaded is free. */
  end(): void {
    this.#turns?.clear();
    this.#lifetime?.end();
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
    this.#observer?.loaded(name, answer);
  }

  /** At the deadline every pending load gets the same fault, which names the loads that were too slow. */
  #giveUp(): void {
    const waitsFor = this.#lifetime?.waitsFor,
      reason = waitsFor === undefined ? "" : ` (waiting for ${waitsFor})`;
    for (const [key, { name }] of this.#pending) {
      const answer = new Fault(`failed to load ${name}: the request's deadline passed${reason}`);
      this.#answers.set(key, answer);
      this.#late.push(name);
      this.#observer?.loaded(name, answer);
    }
    this.#pending.clear();
    this.#turns?.clear();
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
