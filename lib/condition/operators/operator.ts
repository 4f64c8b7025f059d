import type { Fault } from "../../json/mod.ts";
import type { Sourced } from "../go_value.ts";

/** Compares a key with the value of the test. */
export type Test = (key: Sourced) => boolean | Fault;

/** One operator of conditions. Adding one takes a record in the list of its family. */
export interface Operator {
  readonly name: string;
  /** Another spelling of the name. */
  readonly alias?: string;
  /**
   * Kyverno parity: the ordering operators are found in any case, but in another case than their own they never hold.
   * Pinned by tests/condition/operators_test.ts.
   */
  readonly exactCase?: true;
  /** The operators to use instead of this one, which Kyverno calls deprecated. */
  readonly replacedBy?: readonly string[];
  /** Whether it turns each element of a list into text before it compares: that takes more steps for other types. */
  readonly printsElements?: true;
  /** Makes the test for a value. For a value without variables this happens when the policy is loaded. */
  readonly prepare: (value: Sourced) => Test;
}

/** The test of an operator for a value that it does not support: it never holds. */
export function never(): boolean {
  return false;
}
