import { emptyScope, Fault, isList, type Json, type Scope, type StepBudget } from "../../json/mod.ts";
import { stepsFor } from "../steps.ts";

/** The time, the random numbers and the budget of an expression; the caller provides them. */
export interface Environment {
  /** The current time in milliseconds since 1970, for `time_now` and the like. */
  now(): number;
  /** A number in [0, 1), for `random`. */
  random(): number;
  /** The steps that this and other expressions may take together; each has a separate one when absent. */
  readonly budget?: StepBudget;
}

/** The environment of expressions whose result depends on neither time nor randomness. */
export const fixedEnvironment: Environment = { now: () => 0, random: () => 0 };

/** One evaluation: where names come from, its environment, and how many steps it may still take. */
export interface Run extends StepBudget {
  readonly scope: Scope;
  readonly environment: Environment;
}

/** A new evaluation. It takes no more steps than the budget that it shares has. */
export function newRun(scope: Scope, environment: Environment): Run {
  return { scope, environment, left: stepsFor(environment.budget) };
}

/** An expression ready to run on the current value. At the root the current value is not looked at: the scope is. */
export type Evaluate = (current: Json, run: Run) => Json | Fault;

/** A planned expression, with the facts that hold for every run. */
export interface ExpressionPlan {
  readonly evaluate: Evaluate;
  /** The result, when it depends on no input. */
  readonly constant?: Json | Fault;
  /**
   * Whether the result is a Go integer, which equals no number, has no order, and is refused by functions that
   * require a number.
   */
  readonly integer?: boolean;
}

/** A plan for a constant. */
export function constantPlan(value: Json | Fault): ExpressionPlan {
  return { evaluate: () => value, constant: value };
}

/** A key that was not found reads as null; other faults remain. */
export function swallowMissing(value: Json | Fault): Json | Fault {
  return value instanceof Fault && value.missing !== undefined ? null : value;
}

/** The fault of a key that an object does not have. */
export function missingKey(name: string): Fault {
  return new Fault(`Unknown key "${name}" in path`, name);
}

/**
 * JMESPath's truth: null, false and everything empty are false; zero is true. The runtime lists all names of an object
 * to tell whether it has one, so those of a large object take steps. Without steps the answer no longer counts.
 */
export function isTruthy(value: Json, run: StepBudget): boolean {
  if (typeof value !== "object" || value === null) return typeof value === "number" || Boolean(value);
  if (isList(value)) return value.length > 0;
  if (run.left < 0) return false;
  const { length } = Object.keys(value);
  run.left -= (length >> 5) * stepsOfNames;
  return length > 0;
}

/** The steps of 32 names. */
const stepsOfNames = 96;

/** Makes a run for expressions that read no input. */
export function runWithoutInput(): Run {
  return newRun(emptyScope, fixedEnvironment);
}
