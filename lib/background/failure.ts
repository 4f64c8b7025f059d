/**
 * Why an effect could not be carried out. Unlike a `Fault`, it says whether another try may succeed and which rule
 * planned the effect.
 */
export interface Failure {
  readonly message: string;
  /** Whether another try may succeed. */
  readonly retryable: boolean;
  /** Milliseconds until the next try when the object was corrected too often. Such a try is not counted. */
  readonly delay?: number;
  /**
   * Why the failure probably leaves nothing to do:
   * - `notStored`: the request itself was not carried out.
   * - `targetMissing`: an object that the rule names as a target does not exist (yet).
   */
  readonly nothingToDo?: "notStored" | "targetMissing";
  /** The rule that planned the effect; absent when the failure is not one rule's. */
  readonly by?: { readonly policy: string; readonly rule: string };
}
