import type { Fault } from "../../json/mod.ts";
import type { Sourced } from "../go_value.ts";

/** Compares a key with the value it was made for. */
export type Test = (key: Sourced) => boolean | Fault;

/** One operator of conditions. Adding one is adding a record to its family's list. */
export interface Operator {
  readonly name: string;
  /** Another spelling. */
  readonly alias?: string;
  /**
   * Kyverno parity: the ordering operators are found in any case but compare only when written exactly so; otherwise
   * they never hold.
   */
  readonly exactCase?: true;
  /** What to use instead, when the reference calls the operator deprecated. */
  readonly insteadOf?: string;
  /** Does once what the value allows: a value that the policy spells out is prepared when the policy is loaded. */
  readonly prepare: (value: Sourced) => Test;
}

/** An operator that never holds for a value that it does not understand. */
export function never(): boolean {
  return false;
}
