import { CelFault } from "../fault.ts";
import type { Result } from "../libraries/library.ts";
import type { ExternalCalls } from "../external_calls.ts";
import { BudgetExceeded } from "../work.ts";

/** The values of an expression's variables by name; `undefined` for unknown names. */
export type Activation = (name: string) => Result | undefined;

/** The error of an evaluation that exceeds its budget. */
export function budgetFault(): CelFault {
  return new CelFault("cost", "operation cancelled: actual cost limit exceeded");
}

/** The state of one evaluation. */
export class EvaluationFrame {
  /** The cost so far, in Kubernetes' units. */
  cost = 0;
  readonly budget: number;
  readonly external: ExternalCalls | undefined;
  /** The values of comprehension variables and bindings, by slot. */
  readonly slots: (Result | undefined)[] = [];
  readonly #activation: Activation;
  readonly #roots: (Result | undefined)[] = [];

  constructor(activation: Activation, budget: number, external: ExternalCalls | undefined) {
    this.#activation = activation;
    this.budget = budget;
    this.external = external;
  }

  /** The value of a variable. It is read from the activation once. */
  root(index: number, name: string): Result {
    let value = this.#roots[index];
    if (value === undefined) {
      value = this.#activation(name);
      if (value === undefined) value = new CelFault("no_such_attribute", `no such attribute(s): ${name}`);
      this.#roots[index] = value;
    }
    return value;
  }

  /** Ends the evaluation before a call that would exceed the budget. */
  afford(cost: number): void {
    if (this.cost + cost > this.budget) {
      this.cost += cost;
      throw new BudgetExceeded();
    }
  }

  /** Ends the evaluation when the budget is used up. Loops call it before each round. */
  spend(cost: number): void {
    this.cost += cost;
    if (this.cost > this.budget) throw new BudgetExceeded();
  }
}

/** A planned expression. */
export type EvaluateNode = (frame: EvaluationFrame) => Result;

/** A planned expression, with its value when it is constant. */
export interface PlannedExpression {
  readonly run: EvaluateNode;
  readonly constant?: Result;
}

/** The plan of a constant value. It costs nothing. */
export function constantPlan(value: Result): PlannedExpression {
  return { run: () => value, constant: value };
}

/** A frame for computing constants at load, without variables and budget. */
export function constantFrame(): EvaluationFrame {
  return new EvaluationFrame(() => undefined, Infinity, undefined);
}
