/** Where the value of a context entry comes from: the entry's kind, or `value` for an entry that only computes. */
export type EntrySource = string;
