import type * as full from "../mutation_conflicts.ts";

/** `bundle` has made this check. */
class MutationConflicts implements Pick<full.MutationConflicts, "of"> {
  of(): readonly never[] {
    return [];
  }
}

export { MutationConflicts };
