import type { JsonObject } from "../json/mod.ts";
import type { Shape } from "../shape/mod.ts";
import type { ContextEntry } from "./context.ts";
import type { EntryOptions } from "./entry_options.ts";

/** The sources that stand in for a cluster and for services, in a test, on the command line or in the playground. */
export interface StandIns {
  /** Whether there are objects of a cluster. */
  readonly cluster: boolean;
  /** Whether there are answers to calls. */
  readonly calls: boolean;
  readonly globals: boolean;
  readonly images: boolean;
}

/** A kind of context entry: its fields, how an entry is parsed, and how it loads. */
export interface ContextEntryKind<Entry extends { readonly kind: string }> {
  /** The field of an entry that holds it. */
  readonly kind: Entry["kind"];
  readonly shape: Shape;
  read(name: string, written: JsonObject): Entry;
  compile(entry: Entry, options: EntryOptions): ContextEntry;
  /**
   * Whether entries can be loaded from the stand-ins. If not, they count as not declared, and given values take their
   * place.
   */
  isServed(standIns: StandIns): boolean;
}
