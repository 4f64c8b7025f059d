import { asObject, Fault, isFault, type Json, jsonSize, type Scope, setField } from "../json/mod.ts";
import type { Environment } from "../jmespath/mod.ts";
import type { EntrySource } from "./entry_source.ts";
import type { LoadTracker } from "./load_tracker.ts";

/** A named value that is computed or loaded when it is first read. */
export interface ContextEntry {
  readonly name: string;
  readonly source: EntrySource;
  /** Returns the value in a view that ends before this entry; `undefined` when there is nothing to load it from. */
  load(view: Context): Json | Fault | undefined;
}

interface Base {
  readonly tracker: LoadTracker;
  readonly environment: Environment;
  readonly parent: Context | undefined;
}

/** The values and context entries that a layer adds to its parent. */
export interface Layer {
  readonly values?: Readonly<Record<string, Json>>;
  /** In the order in which they were declared; an entry sees only earlier ones. */
  readonly entries?: readonly ContextEntry[];
  /** Computed when first read, such as `images`. */
  readonly computed?: Computed;
}

/** Values that are computed when they are first read. */
export interface Computed {
  readonly names: readonly string[];
  /** Returns the value of one of the names; `undefined` when the object has none. */
  compute(name: string): Json | Fault | undefined;
}

/**
 * The values that a rule can read. Layers are never copied: a child shadows its parent. An entry loads once, when it
 * is first read. A failed entry keeps its fault, so that messages name the cause and not a later "Unknown key".
 */
export class Context implements Scope {
  readonly tracker: LoadTracker;
  /** The clock, the random numbers and the operation for expressions in this context. */
  readonly environment: Environment;
  readonly #parent: Context | undefined;
  readonly #given: Readonly<Record<string, Json>>;
  /** The values that entries loaded and that were computed. */
  readonly #kept: Map<string, Json | Fault>;
  readonly #entries: readonly ContextEntry[];
  readonly #computed: Computed | undefined;
  /** Only entries before this index are visible. */
  readonly #visible: number;
  /** The bytes that this layer's entries have loaded. All views of the layer share the count. */
  readonly #held: { bytes: number };

  private constructor(base: Base, layer: Layer, view?: { of: Context; before: number }) {
    this.tracker = base.tracker;
    this.environment = base.environment;
    this.#parent = base.parent;
    this.#entries = layer.entries ?? none;
    this.#computed = layer.computed;
    this.#given = layer.values ?? nothing;
    this.#visible = view?.before ?? this.#entries.length;
    this.#kept = view === undefined ? new Map() : view.of.#kept;
    this.#held = view === undefined ? { bytes: 0 } : view.of.#held;
  }

  /** The outermost layer of a request. */
  static root(base: { tracker: LoadTracker; environment: Environment }, layer: Layer): Context {
    return new Context({ ...base, parent: undefined }, layer);
  }

  /** A layer above this one. */
  child(layer: Layer): Context {
    return new Context({ tracker: this.tracker, environment: this.environment, parent: this }, layer);
  }

  /** Returns the value of a name, and loads it if necessary; `undefined` for a name that nobody declared. */
  get(name: string): Json | Fault | undefined {
    if (this.#visible === this.#entries.length) {
      const value = this.#value(name);
      if (value !== undefined) return value;
    }
    if (this.#entries.length === 0) return this.#computedOrOuter(name);
    for (let index = this.#visible - 1; index >= 0; index--) {
      if (this.#entries[index]!.name === name) return this.#loadEarlier(name, index) ?? this.#load(index);
    }
    // A view that ends before an entry does not show that entry's value, but shows given values.
    const value = this.#value(name);
    if (value !== undefined && !this.#entries.some((entry) => entry.name === name)) return value;
    return this.#computedOrOuter(name);
  }

  /** Whether the name has an entry, also one that cannot be loaded here. */
  declares(name: string): boolean {
    return this.#entries.some((entry) => entry.name === name) || (this.#parent?.declares(name) ?? false);
  }

  #value(name: string): Json | Fault | undefined {
    const kept = this.#kept.get(name);
    return kept === undefined && Object.hasOwn(this.#given, name) ? this.#given[name] : kept;
  }

  #computedOrOuter(name: string): Json | Fault | undefined {
    if (!this.#computed?.names.includes(name)) return this.#parent?.get(name);
    const { pendingReads } = this.tracker;
    const value = this.#computed.compute(name);
    // A value that is computed in stages is a fault until the last stage.
    if (value !== undefined && this.tracker.pendingReads === pendingReads) this.#keep(name, value);
    return value;
  }

  #keep(name: string, value: Json | Fault): void {
    this.#kept.set(name, value);
  }

  /** All visible values as one object. It loads every entry. */
  all(): Json {
    const values: { [name: string]: Json } = { ...asObject(this.#parent?.all()) };
    const names = [
      ...Object.keys(this.#given),
      ...this.#kept.keys(),
      ...this.#computed?.names ?? [],
      ...this.#entries.map((entry) => entry.name),
    ];
    for (const name of names) {
      const value = this.get(name);
      if (value !== undefined && !isFault(value)) setField(values, name, value);
    }
    return values;
  }

  /**
   * Kyverno parity: entries of one name load in order, and the first that fails is why the name has no value. Pinned by
   * "of entries with one name the first that fails is why the name has no value".
   */
  #loadEarlier(name: string, before: number): Fault | undefined {
    for (let index = 0; index < before; index++) {
      if (this.#entries[index]!.name !== name) continue;
      const value = this.#load(index);
      if (isFault(value)) return value;
    }
    return undefined;
  }

  #load(index: number): Json | Fault | undefined {
    const entry = this.#entries[index]!;
    const { observer } = this.tracker;
    if (!this.tracker.serves(entry.source)) {
      observer?.finishEntry(entry, undefined);
      return this.#parent?.get(entry.name);
    }
    const key = index === lastOf(this.#entries, entry.name) ? entry.name : `${entry.name}#${index}`;
    const loaded = this.#value(key);
    if (loaded !== undefined) return loaded;
    // Entries of one name are loaded one after the other; see #loadEarlier.
    const earlier = this.#entries.findLastIndex((other, at) => at < index && other.name === entry.name);
    const before = earlier < 0 ? undefined : this.#load(earlier);
    if (isFault(before)) return before;
    const base = { tracker: this.tracker, environment: this.environment, parent: this.#parent };
    const computed = this.#computed && { computed: this.#computed };
    const view = new Context(base, { entries: this.#entries, ...computed }, { of: this, before: index });
    const pendingReads = this.tracker.pendingReads;
    observer?.beginEntry(entry);
    const value = this.#admitted(entry, entry.load(view));
    observer?.finishEntry(entry, value);
    if (value === undefined) return this.#parent?.get(entry.name);
    if (this.tracker.pendingReads === pendingReads) this.#keep(key, value);
    return value;
  }

  /** Returns the value if the layer has room for it; otherwise a fault. */
  #admitted({ name, source }: ContextEntry, value: Json | Fault | undefined): Json | Fault | undefined {
    if (value === undefined || isFault(value)) return value;
    const size = jsonSize(value, maxContextSize), total = this.#bytes() + size;
    if (total <= maxContextSize) {
      this.#held.bytes += size;
      return value;
    }
    const problem = `context size limit exceeded: ${total} bytes exceeds limit of ${maxContextSize} bytes`;
    return new Fault(
      source === "value" ? problem : `failed to add data of context entry ${name}: ${problem}`,
    );
  }

  /** The bytes that all entries up to here have loaded. */
  #bytes(): number {
    return this.#held.bytes + (this.#parent === undefined ? 0 : this.#parent.#bytes());
  }
}

/**
 * How many bytes of JSON a rule's entries may load; the request itself does not count. Kyverno parity: its default of
 * 2 MiB. Pinned by "entries that together exceed 2 MiB fail, with their size in the message".
 */
const maxContextSize = 2 * 1024 * 1024;

const none: readonly ContextEntry[] = [];
const nothing: Readonly<Record<string, never>> = {};

function lastOf(entries: readonly ContextEntry[], name: string): number {
  return entries.findLastIndex((entry) => entry.name === name);
}
