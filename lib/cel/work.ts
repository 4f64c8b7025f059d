/** Ends an evaluation that exceeds its budget. It is thrown, because `&&` and `||` must not ignore it. */
export class BudgetExceeded extends Error {}

/** The nanoseconds that the expressions of a rule may take together: no other request has its turn meanwhile. */
const most = 250_000_000;

/** The work that is left to an evaluation, or to all evaluations of a policy for one request. */
export interface WorkBudget {
  /** Nanoseconds. */
  left: number;
}

/** A full budget. */
export function newWorkBudget(): WorkBudget {
  return { left: most };
}

/** The nanoseconds of work for each character that a call makes or reads. */
export const workOfCharacter = 12;

/** The characters above which a text counts. Most texts are shorter. */
export const longText = 256;

const unlimited: WorkBudget = { left: Infinity };

let budget = unlimited;

/**
 * Counts nanoseconds of work in the evaluation under way. Kubernetes counts 1 or nothing for comparing two lists of
 * lists, or for visiting a list of empty maps, however long they are. Outside evaluations nothing is counted.
 */
export function work(nanoseconds: number): void {
  budget.left -= nanoseconds;
  if (budget.left < 0) throw new BudgetExceeded();
}

/** Runs an evaluation within a budget. One that begins inside, such as that of a variable, shares it. */
export function withinBudget<T>(given: WorkBudget, evaluate: () => T): T {
  if (budget !== unlimited) return evaluate();
  budget = given;
  try {
    return evaluate();
  } finally {
    budget = unlimited;
  }
}

/** Whether an evaluation is under way, whose budget counts. */
export function isWithinBudget(): boolean {
  return budget !== unlimited;
}
