/** Expressions as closures, and the state of one evaluation. */
export { type Activation, BudgetExceeded, budgetFault, type Evaluate, Frame } from "./frame.ts";
export { type Plan, plan } from "./planner.ts";
