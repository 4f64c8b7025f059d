/** Where the value of a context entry comes from; `value` for an entry that only computes. */
export type EntrySource = "value" | "configMap" | "apiCall" | "globalReference" | "imageRegistry";
