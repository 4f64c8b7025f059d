/**
 * Why an expression has no value. A fault is returned, not thrown: evaluation errors are ordinary results of a
 * policy and each caller decides whether to ignore them.
 */
export class Fault {
  /** Text for the user, in Kyverno's words where Kyverno has a message. */
  readonly message: string;
  /** The key that an object lacks, when that is the reason; otherwise undefined. */
  readonly missing: string | undefined;

  constructor(message: string, missing?: string) {
    this.message = message;
    this.missing = missing;
  }
}

/** Whether an evaluation ended in a fault. */
export function isFault(value: unknown): value is Fault {
  return value instanceof Fault;
}
