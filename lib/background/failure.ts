/** Why something could not be done. */
export interface Failure {
  readonly message: string;
  /** Whether another try may do it. */
  readonly passing: boolean;
  /** Set when the request itself was not carried out, as far as can be seen: then there is nothing to do for it. */
  readonly unfounded?: true;
}
