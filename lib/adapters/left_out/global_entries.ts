import type { Answer, GlobalEntries } from "../../ports.ts";
import type * as full from "../global_entries.ts";

/** Stands in for the global context, which no policy of the bundle reads. */
class ClusterGlobalEntries implements GlobalEntries {
  constructor(_options: full.GlobalEntriesOptions) {}

  entry(name: string): Promise<Answer> {
    const message = `GlobalContextEntry ${name}: this bundle was made without it`;
    return Promise.resolve({ ok: false, status: undefined, message });
  }
}

export { ClusterGlobalEntries };
