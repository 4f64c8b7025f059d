/** Why an effect could not be carried out: a `Fault` with what the worker needs to decide about another attempt. */
export interface Failure {
  readonly message: string;
  /** Whether another try may do it. */
  readonly retryable: boolean;
  /** Set when the request itself was not carried out, as far as can be seen: then there is nothing to do for it. */
  readonly unfounded?: true;
  /** The rule whose wish it was; absent when no single rule is to blame. */
  readonly by?: { readonly policy: string; readonly rule: string };
}
