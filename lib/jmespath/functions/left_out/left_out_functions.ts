import { functionFault } from "../fault.ts";
import type { FunctionRecord } from "../record.ts";

/** Stands in for functions that no policy of a bundle calls: a call is a fault that says so. */
export function leftOutFunctions(...names: readonly string[]): readonly FunctionRecord[] {
  return names.map((name): FunctionRecord => ({
    kind: "plain",
    name,
    parameters: [],
    anyCount: true,
    returns: ["any"],
    volatile: true,
    summary: "",
    examples: [],
    apply: () => functionFault(name, "this bundle was made without it: make it again with the policy"),
  }));
}
