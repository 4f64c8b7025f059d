/** Expressions as closures, and the state of one evaluation. */
export { propertyOf } from "./escaped_name.ts";
export { type Activation, budgetFault, type EvaluateNode, EvaluationFrame } from "./frame.ts";
export { plan, type PlanResult } from "./planner.ts";
