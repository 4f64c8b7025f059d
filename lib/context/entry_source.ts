import type { EntryKind } from "../policy/mod.ts";

/** Where the value of a context entry comes from; `value` for an entry that only computes. */
export type EntrySource = "value" | Exclude<EntryKind, "variable">;
