import { functionFault } from "../fault.ts";
import type { FunctionNote, FunctionRecord } from "../record.ts";

/** Stands in for functions that no policy of a bundle calls: a call is a fault that says so. */
export function leftOutFunctions(...names: readonly string[]): readonly FunctionRecord[] {
  return names.map((name): FunctionRecord => ({
    kind: "plain",
    name,
    parameters: [],
    anyCount: true,
    returns: ["any"],
    volatile: true,
    apply: () => functionFault(name, "this bundle was made without it: make it again with the policy"),
  }));
}

/** Stands in for the notes of these functions. */
export const noNotes: Readonly<Record<string, FunctionNote>> = {};
