/**
 * Why an effect could not be carried out. It is no `Fault`: that is why an expression has no value, and has no fields
 * by which the worker decides about another attempt and about the rule that gets the failure.
 */
export interface Failure {
  readonly message: string;
  /** Whether another try may do it. */
  readonly retryable: boolean;
  /** Milliseconds until the next try, which does not count as one: the object was corrected too often. */
  readonly delay?: number;
  /**
   * Why there is nothing to do, as far as can be seen:
   * - `unfounded`: the request itself was not carried out.
   * - `targetMissing`: an object that the rule names as a target does not exist (yet).
   */
  readonly moot?: "unfounded" | "targetMissing";
  /** The rule whose wish it was; absent when no single rule is to blame. */
  readonly by?: { readonly policy: string; readonly rule: string };
}
