import { Fault } from "../json/mod.ts";

/**
 * The class of an evaluation error. `pending` is not an error of the expression: a value is still being loaded, and the
 * expression must be evaluated again when the load has finished.
 */
export type FaultKind =
  | "no_such_overload"
  | "no_such_key"
  | "no_such_attribute"
  | "index"
  | "range"
  | "overflow"
  | "divide_by_zero"
  | "modulus_by_zero"
  | "duplicate_key"
  | "optional_none"
  | "cost"
  | "pending"
  | "other";

/** An evaluation error as a value: every operation returns it, except `&&` and `||`, which may ignore it. */
export class CelFault extends Fault {
  readonly kind: FaultKind;

  constructor(kind: FaultKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

/** An error without a class. */
export function failure(message: string): CelFault {
  return new CelFault("other", message);
}

/** The error of a function or operator that does not take these values. */
export function noSuchOverload(name?: string): CelFault {
  return new CelFault(
    "no_such_overload",
    name === undefined ? "no such overload" : `no such overload: ${name}`,
  );
}

/** The fault of a value that is not loaded yet. The caller loads it and evaluates again. */
export function pending(what: string): CelFault {
  return new CelFault("pending", `${what} is not loaded yet`);
}

/** Whether evaluation ended in an error, or in a value that is not loaded yet. */
export function isCelFault(value: unknown): value is CelFault {
  return value instanceof CelFault;
}

/**
 * Chooses the error of `&&` or `||` when no term decides: a pending value wins, because it may decide the result once
 * it is loaded; otherwise the first error.
 */
export function firstFault(first: CelFault | undefined, second: CelFault): CelFault {
  if (first === undefined) return second;
  return first.kind !== "pending" && second.kind === "pending" ? second : first;
}

/**
 * Chooses the error of a loop in which a failed condition replaces what earlier rounds made: the last one, unless an
 * earlier value is pending.
 */
export function lastFault(earlier: CelFault | undefined, latest: CelFault): CelFault {
  return earlier === undefined ? latest : firstFault(latest, earlier);
}
