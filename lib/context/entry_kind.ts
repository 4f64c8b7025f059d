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

/** A kind of context entry: how its entries load. */
export interface ContextEntryKind<Entry> {
  compile(entry: Entry, options: EntryOptions): ContextEntry;
  /** Whether entries can be loaded from the stand-ins. If not, they count as not declared, and given values take their place. */
  isServed(standIns: StandIns): boolean;
}
