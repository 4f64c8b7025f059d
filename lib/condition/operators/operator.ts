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
   * Kyverno parity: the ordering operators are found in any case, but in another case than their own they never hold.
   * Pinned by tests/condition/operators_test.ts.
   */
  readonly exactCase?: true;
  /** The operator to use instead of this one, which Kyverno calls deprecated. */
  readonly insteadOf?: string;
  /**
   * Does the work that depends on the value only. For a value without variables this happens when the policy is
   * loaded.
   */
  readonly prepare: (value: Sourced) => Test;
}

/** An operator that never holds for a value that it does not understand. */
export function never(): boolean {
  return false;
}
