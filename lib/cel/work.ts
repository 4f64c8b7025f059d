/** Ends an evaluation that exceeds its budget. It is thrown, because `&&` and `||` must not ignore it. */
export class BudgetExceeded extends Error {}

/** The nanoseconds of work that no cost counts, in one evaluation: no other request has its turn meanwhile. */
const most = 250_000_000;

let left = Infinity;

/**
 * Counts nanoseconds of work in the evaluation under way. Kubernetes counts 1 or nothing for comparing two lists of
 * lists, or for visiting a list of empty maps, however long they are. Outside evaluations nothing is counted.
 */
export function work(nanoseconds: number): void {
  left -= nanoseconds;
  if (left < 0) throw new BudgetExceeded();
}

/** Runs an evaluation within the limit. One that begins inside, such as that of a variable, shares it. */
export function withinLimit<T>(evaluate: () => T): T {
  if (left !== Infinity) return evaluate();
  left = most;
  try {
    return evaluate();
  } finally {
    left = Infinity;
  }
}
