import type { restoration as full } from "../restoration.ts";

/** Stands in for the restoration of what policies in CEL generated: the bundle has no such policy. */
export const restoration: typeof full = (): Promise<undefined> => Promise.resolve(undefined);
