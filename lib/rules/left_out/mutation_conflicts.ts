import type * as full from "../mutation_conflicts.ts";

/** `bundle` has made this check. */
const mutationConflicts: typeof full.mutationConflicts = () => [];

export { mutationConflicts };
