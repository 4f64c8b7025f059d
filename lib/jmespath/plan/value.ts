import { Fault, isList, isObject, type Json, type Scope } from "../../json/mod.ts";

/** What an expression may ask of the world; the caller decides the answers. */
export interface Environment {
  /** The current time in milliseconds since 1970, for `time_now` and the like. */
  now(): number;
  /** A number in [0, 1), for `random`. */
  random(): number;
}

/** One evaluation: where names come from, the world, and how much may still be done. */
export interface Run {
  readonly scope: Scope;
  readonly environment: Environment;
  /** Elements of lists that may still be visited. */
  visits: number;
}

/** Elements that one evaluation visits at most; a large resource has some ten thousand. */
const maxVisits = 5_000_000;

const tooLong = new Fault(`the expression visits more than ${maxVisits} elements of lists`);

/** A new evaluation. */
export function newRun(scope: Scope, environment: Environment): Run {
  return { scope, environment, visits: maxVisits };
}

/**
 * Counts elements that are about to be visited; a fault when there are too many. Loops over literal lists inside one
 * another would otherwise keep an evaluation busy for years, and values of a resource can become part of an expression.
 */
export function visit(count: number, run: Run): Fault | undefined {
  run.visits -= count;
  return run.visits < 0 ? tooLong : undefined;
}

/** An expression ready to run on the current value. At the root the current value is not looked at: the scope is. */
export type Evaluate = (current: Json, run: Run) => Json | Fault;

/** A planned expression and what is known of it before any run. */
export interface Plan {
  readonly evaluate: Evaluate;
  /** The result, when it depends on no input. */
  readonly constant?: Json | Fault;
  /**
   * Whether the result is an integer in the reference's sense, which is no JSON number: unequal to every number,
   * without order, and refused by functions that want a number.
   */
  readonly integer?: boolean;
}

/** A plan for a value that is known now. */
export function constantPlan(value: Json | Fault): Plan {
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

/** JMESPath's truth: null, false and everything empty are false; zero is true. */
export function isTruthy(value: Json): boolean {
  switch (typeof value) {
    case "boolean":
      return value;
    case "string":
      return value !== "";
    case "number":
      return true;
  }
  if (isList(value)) return value.length > 0;
  if (isObject(value)) {
    for (const _ in value) return true;
  }
  return false;
}

/** A run for what needs no input. */
export const nowhere: Run = newRun({ get: () => undefined, all: () => ({}) }, {
  now: () => 0,
  random: () => 0,
});
