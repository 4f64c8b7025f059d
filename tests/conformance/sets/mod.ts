import type { ConformanceSet } from "../set.ts";

/** Every set that the runner knows; a new one is a file here and one line below. */
export const sets: readonly ConformanceSet[] = [];
