import { asString, dig, Fault, field, isFault, isObject, type Json, type JsonObject } from "../json/mod.ts";
import type { Answer, Clock, Cluster, Collection, Collections, GlobalEntries, Http } from "../ports.ts";
import {
  calledValue,
  type EntryValues,
  projectedValues,
  projectionOf,
  type Projector,
  refreshOf,
  watchedPath,
} from "./global_entry.ts";

/** The ports and bounds of {@link WatchedGlobalEntries}. */
export interface WatchedEntriesOptions {
  readonly cluster: Cluster;
  readonly http: Http;
  readonly clock: Clock;
  readonly collections: Collections;
  readonly project: Projector;
  /** Answers reads of entries that are not defined here (yet). */
  readonly others: GlobalEntries;
  /** Milliseconds until a failed call or list is repeated: 10,000. */
  readonly retry?: number;
  /** The shortest time in milliseconds between two calls of an entry: 1,000. */
  readonly leastRefresh?: number;
}

/** The state of an entry, for the status of its GlobalContextEntry. */
export interface EntryState {
  /** The GlobalContextEntry. */
  readonly object: JsonObject;
  /** Why the entry has no values; `undefined` when it has some. */
  readonly problem: string | undefined;
  /** When its data was read, in milliseconds since 1970. */
  readonly refreshed: number;
}

/**
 * The global context with its entries in memory. It watches the objects of a `kubernetesResource` and repeats a call
 * after each `refreshInterval`. It computes the projections once for each state of the data.
 */
export class WatchedGlobalEntries implements GlobalEntries {
  readonly #options: WatchedEntriesOptions;
  readonly #kept = new Map<string, KeptEntry>();
  #changed: (state: EntryState) => void = () => {};

  constructor(options: WatchedEntriesOptions) {
    this.#options = options;
  }

  async entry(name: string): Promise<Answer> {
    const dot = name.indexOf(".");
    const kept = this.#kept.get(dot < 0 ? name : name.slice(0, dot));
    if (kept === undefined) return await this.#options.others.entry(name);
    return projectionOf(await kept.values(), dot < 0 ? "" : name.slice(dot + 1));
  }

  /** Replaces the entries by these GlobalContextEntry objects. An entry whose `spec` does not change keeps its data. */
  define(objects: readonly JsonObject[], changed: (state: EntryState) => void): void {
    this.#changed = changed;
    const names = new Set<string>();
    for (const object of objects) {
      const name = asString(dig(object, "metadata", "name")) ?? "";
      names.add(name);
      const text = JSON.stringify(object["spec"] ?? null);
      const former = this.#kept.get(name);
      if (former?.text === text) {
        former.object = object;
        continue;
      }
      former?.close();
      this.#kept.set(
        name,
        new KeptEntry(object, text, { ...this.#options, changed: (state) => this.#changed(state) }),
      );
    }
    for (const [name, kept] of this.#kept) {
      if (names.has(name)) continue;
      kept.close();
      this.#kept.delete(name);
    }
  }

  /** Ends all watches and timers. */
  close(): void {
    for (const kept of this.#kept.values()) kept.close();
    this.#kept.clear();
  }
}

interface KeptEntryOptions extends WatchedEntriesOptions {
  readonly changed: (state: EntryState) => void;
}

/** One entry with its data. */
class KeptEntry {
  readonly text: string;
  object: JsonObject;
  readonly #options: KeptEntryOptions;
  readonly #ready = Promise.withResolvers<void>();
  #collection: Collection | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The answer to the call, or why there is none; for watched objects, why they could not be listed. */
  #data: Json | Fault = new Fault("the entry is not ready");
  /** Computed from the data; `undefined` after the data changed. */
  #values: EntryValues | Fault | undefined;
  #closed = false;

  constructor(object: JsonObject, text: string, options: KeptEntryOptions) {
    this.object = object;
    this.text = text;
    this.#options = options;
    void this.#begin();
  }

  /** Waits until the entry's data was read for the first time, and returns the entry's values. */
  async values(): Promise<EntryValues | Fault> {
    await this.#ready.promise;
    const data = this.#collection === undefined ? this.#data : objectsOf(this.#collection);
    this.#values ??= isFault(data) ? data : projectedValues(this.#spec, data as Json, this.#options.project);
    return this.#values;
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#ready.resolve();
    void this.#collection?.close();
  }

  get #spec(): Json {
    return this.object["spec"] ?? null;
  }

  async #begin(): Promise<void> {
    const resource = field(this.#spec, "kubernetesResource");
    const problem = isObject(resource) ? await this.#follow(watchedPath(resource)) : await this.#call();
    if (this.#closed) return;
    this.#ready.resolve();
    const values = problem ?? await this.values();
    const { clock, retry = 10_000, leastRefresh, changed } = this.#options;
    const failed = isFault(values);
    changed({ object: this.object, problem: failed ? values.message : undefined, refreshed: clock.now() });
    if (this.#collection !== undefined) return;
    const call = field(this.#spec, "apiCall") ?? null;
    this.#timer = setTimeout(() => void this.#begin(), failed ? retry : refreshOf(call, leastRefresh));
  }

  /** Watches the objects of a path; a fault says why they cannot be listed. */
  async #follow(path: string): Promise<Fault | undefined> {
    const first = await this.#options.cluster.call({ method: "GET", path: `${path}?limit=1` });
    if (this.#closed) return undefined;
    if (!first.ok) {
      this.#data = new Fault(`failed to list ${path}: ${first.message}`);
      this.#values = undefined;
      return this.#data;
    }
    this.#collection = this.#options.collections.watch(path, () => void (this.#values = undefined));
    await this.#collection.synced;
    this.#values = undefined;
    return undefined;
  }

  async #call(): Promise<Fault | undefined> {
    const data = await calledValue(field(this.#spec, "apiCall") ?? null, this.#options);
    this.#data = data;
    this.#values = undefined;
    return isFault(data) ? data : undefined;
  }
}

/** All objects of a collection; a fault when some are left out, because a policy could then admit what it forbids. */
function objectsOf(collection: Collection): readonly Json[] | Fault {
  return collection.leftOut === undefined ? collection.objects() : new Fault(collection.leftOut.message);
}
