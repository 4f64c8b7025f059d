import { CelFault } from "./fault.ts";
import { budgetFault } from "./plan/mod.ts";
import { BudgetExceeded, withinBudget, type WorkBudget } from "./work.ts";

/** Runs what counts work. A used-up budget, or values nested too deeply for the stack, are errors as values. */
export function budgeted<T>(budget: WorkBudget, run: () => T): T | CelFault {
  try {
    return withinBudget(budget, run);
  } catch (cause) {
    if (cause instanceof BudgetExceeded) return budgetFault();
    if (cause instanceof RangeError) return new CelFault("other", `evaluation failed: ${cause.message}`);
    throw cause;
  }
}
