import { asString, dig, type JsonObject } from "../json/mod.ts";
import type { Answer, GlobalEntries } from "../ports.ts";
import { projectionOf } from "./entry_projections.ts";
import { type EntryState, KeptEntry, type KeptEntryOptions } from "./kept_entry.ts";

/** The ports and bounds of {@link WatchedGlobalEntries}. */
export interface WatchedEntriesOptions extends KeptEntryOptions {
  /** Answers reads of entries that are not defined here (yet). */
  readonly others: GlobalEntries;
}

/**
 * The global context with its entries in memory. It watches the objects of a `kubernetesResource` and repeats a call
 * after each `refreshInterval`. It computes the projections once for each state of the data, when they are read.
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
      this.#kept.set(name, new KeptEntry({ object, text }, this.#options, (state) => this.#changed(state)));
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
