import { Fault, field, isFault, isObject, type Json, type JsonObject } from "../json/mod.ts";
import { type Collection, type Collections, elapsedOn } from "../ports.ts";
import { type CompileProjection, EntryProjections, type EntryValues, sizeOf } from "./entry_projections.ts";
import { calledValue, type Callers, refreshOf, watchedPath } from "./global_entry.ts";
import { AnswerLifetime } from "../answer_lifetime.ts";
import type { ObjectBudget } from "./object_budget.ts";

/** The state of an entry, for the status of its GlobalContextEntry. */
export interface EntryState {
  /** The GlobalContextEntry. */
  readonly object: JsonObject;
  /** Why the entry has no values; `undefined` when it has some. */
  readonly problem: string | undefined;
  /** When its data was read, in milliseconds since 1970. */
  readonly refreshed: number;
}

/** The ports and bounds of a {@link KeptEntry}; times in milliseconds. */
export interface KeptEntryOptions extends Callers {
  readonly collections: Collections;
  readonly compile: CompileProjection;
  /** Bounds the memory of all followed objects, and of the answers and projections of all entries. */
  readonly budget: ObjectBudget;
  /** How long requests wait for the first load of an entry: 5,000. */
  readonly firstWait?: number;
  /** The time until a failed call or list is repeated: 10,000. */
  readonly retry?: number;
  /** The shortest time between two calls of an entry: 1,000. */
  readonly leastRefresh?: number;
}

/** Counts in the budget like a namespace, so that answers may take half of it; no namespace has this name. */
const answersName = "answers of entries";

/** After projections were computed, the former ones are read for so many times as long as that took. */
const restMs = 10;

const notReady = new Fault("the entry is not ready: its first load has not ended");

/** One entry of the global context with its data. */
export class KeptEntry {
  /** The text of its `spec`. */
  readonly text: string;
  object: JsonObject;
  readonly #spec: Json;
  readonly #resource: Json | undefined;
  readonly #options: KeptEntryOptions;
  readonly #changed: (state: EntryState) => void;
  readonly #projections: EntryProjections;
  readonly #stop = new AbortController();
  readonly #ready = Promise.withResolvers<void>();
  readonly #readyTimer: ReturnType<typeof setTimeout>;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The watched objects, once they were listed. */
  #collection: Collection | undefined;
  #values: EntryValues | Fault = notReady;
  /** Whether objects have changed since the values were computed. */
  #isStale = false;
  /** Until when stale values are read: a time of `elapsedOn`. */
  #restsUntil = 0;
  /** The bytes of the budget that its values take. */
  #bytes = 0;

  /** Begins to load at once. `changed` gets the state after each load. */
  constructor(
    { object, text }: Pick<KeptEntry, "object" | "text">,
    options: KeptEntryOptions,
    changed: (state: EntryState) => void,
  ) {
    this.object = object;
    this.text = text;
    this.#options = options;
    this.#changed = changed;
    this.#spec = object["spec"] ?? null;
    const resource = field(this.#spec, "kubernetesResource");
    this.#resource = isObject(resource) ? resource : undefined;
    const source = this.#resource === undefined ? "answer" : "objects";
    this.#projections = new EntryProjections(this.#spec, source, options.compile);
    this.#readyTimer = setTimeout(() => {
      this.#ready.resolve();
      this.#report();
    }, options.firstWait ?? 5_000);
    void this.#load();
  }

  /** Returns the entry's values; waits for a while until its data was read for the first time. */
  async values(): Promise<EntryValues | Fault> {
    if (this.#values === notReady) await this.#ready.promise;
    if (this.#isStale && elapsedOn(this.#options.clock) >= this.#restsUntil) this.#project();
    return this.#values;
  }

  close(): void {
    this.#stop.abort();
    clearTimeout(this.#timer);
    this.#becomeReady();
    this.#keep(new Fault("the entry is gone"));
  }

  #becomeReady(): void {
    clearTimeout(this.#readyTimer);
    this.#ready.resolve();
  }

  async #load(): Promise<void> {
    if (this.#resource === undefined) await this.#call();
    else await this.#follow(watchedPath(this.#resource));
    if (this.#stop.signal.aborted) return;
    this.#becomeReady();
    this.#report();
    if (this.#collection !== undefined) return;
    const { entropy, retry = 10_000, leastRefresh } = this.#options;
    const call = field(this.#spec, "apiCall") ?? null;
    const wait = isFault(this.#values) ? retry : refreshOf(call, leastRefresh);
    // A part of the time is random, so that the entries of all replicas are not called at the same moment.
    this.#timer = setTimeout(() => void this.#load(), wait * (0.9 + entropy.next() / 10));
  }

  #report(): void {
    const values = this.#values, problem = isFault(values) ? values.message : undefined;
    this.#changed({ object: this.object, problem, refreshed: this.#options.clock.now() });
  }

  /** Watches the objects of a path. */
  async #follow(path: string): Promise<void> {
    const { cluster, collections } = this.#options, { signal } = this.#stop;
    const first = await cluster.call({ method: "GET", path: `${path}?limit=1`, signal });
    if (signal.aborted) return;
    if (!first.ok) return this.#keep(new Fault(`failed to list ${path}: ${first.message}`));
    const stale = (): void => void (this.#isStale = this.#collection !== undefined);
    const collection = collections.watch(path, stale, { leftOutChanged: stale });
    signal.addEventListener("abort", () => void collection.close());
    await collection.synced;
    if (signal.aborted) return;
    this.#collection = collection;
    this.#project();
  }

  /** Makes the entry's call. Until its answer is kept, it counts among the answers of evaluations. */
  async #call(): Promise<void> {
    const lifetime = new AnswerLifetime(), { signal } = this.#stop;
    try {
      const data = await calledValue(field(this.#spec, "apiCall") ?? null, this.#options, {
        lifetime,
        signal,
      });
      if (!signal.aborted) this.#keep(isFault(data) ? data : this.#projections.values(data));
    } finally {
      lifetime.end();
    }
  }

  /** Computes the projections of the objects. */
  #project(): void {
    const { clock } = this.#options, collection = this.#collection!, began = elapsedOn(clock);
    this.#isStale = false;
    // With some of the objects, a policy could admit what it forbids.
    const { leftOut } = collection;
    this.#keep(
      leftOut === undefined
        ? this.#projections.values(collection.objects(), this.#values)
        : new Fault(leftOut.message),
    );
    const now = elapsedOn(clock);
    this.#restsUntil = isFault(this.#values) ? now : now + restMs * (now - began);
  }

  /** Keeps values instead of the former ones, if there is room for them. */
  #keep(values: EntryValues | Fault): void {
    const { budget } = this.#options;
    budget.add(answersName, -this.#bytes);
    this.#bytes = 0;
    // The collection already counts the watched objects in the budget.
    const bytes = isFault(values) ? 0 : sizeOf(values, this.#resource === undefined ? "all" : "projections");
    if (bytes > 0 && !budget.fits(answersName, bytes)) {
      this.#values = new Fault(
        `what the entry keeps takes ${bytes} bytes of memory, and there is no room for it: ` +
          "let it select less, with projections or another call",
      );
      return;
    }
    this.#values = values;
    this.#bytes = bytes;
    budget.add(answersName, bytes);
  }
}
