import type { LoadedDocuments } from "./load.ts";

/** Where policies and exceptions come from, and may change. */
export interface PolicySource {
  /** Everything that is there now. What cannot be read is a diagnostic. */
  load(): Promise<LoadedDocuments>;
  /** Calls `changed` whenever {@link load} may give something else, until what it returns is disposed of. */
  watch(changed: () => void): Disposable;
}
