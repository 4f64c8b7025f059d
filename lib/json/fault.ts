/**
 * Why an expression has no value. A fault is returned, not thrown: evaluation errors are ordinary results of a policy
 * and each caller decides whether to swallow them.
 */
export class Fault {
  /** Text for the user, in the reference's words where it has any. */
  readonly message: string;
  /** The key that was not found, when that was the reason; other faults leave it undefined. */
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
