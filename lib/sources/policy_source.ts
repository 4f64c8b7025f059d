import type { LoadedDocuments } from "./load.ts";

/** A source of policies and exceptions, which may change. */
export interface PolicySource {
  /** Reads everything now. A part that cannot be read is a diagnostic. */
  load(): Promise<LoadedDocuments>;
  /** Calls `changed` whenever {@link load} may give another result, until the returned value is disposed of. */
  watch(changed: () => void): Disposable;
}
