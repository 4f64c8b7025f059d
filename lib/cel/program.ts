import type { Result } from "./libraries/library.ts";
import { type Activation, budgetFault, type EvaluateNode, EvaluationFrame } from "./plan/mod.ts";
import type { ProgramFacts } from "./program_facts.ts";
import type { CelType } from "./types/mod.ts";
import { budgeted } from "./budgeted.ts";
import { newWorkBudget, type WorkBudget } from "./work.ts";
import type { ExternalCalls } from "./external_calls.ts";

/** The most that one expression may cost, as in Kubernetes. */
export const PER_CALL_LIMIT = 1_000_000;
/** The most that all expressions of one policy may cost for one request. */
export const POLICY_BUDGET = 10_000_000;

/** The budget and the external calls of an evaluation. */
export interface EvaluationOptions {
  /** The cost at which evaluation stops; {@link PER_CALL_LIMIT} by default and at most. */
  readonly budget?: number;
  /** The work that is left to all evaluations that share it; unshared by default. */
  readonly work?: WorkBudget;
  /** Answers the functions that read values from outside. */
  readonly external?: ExternalCalls;
}

/** A value or an error, with the cost of the evaluation. */
export interface Evaluation {
  readonly value: Result;
  readonly cost: number;
}

/** A compiled expression, which can be evaluated any number of times. */
export class Program {
  /** The type of its value. */
  readonly type: CelType;
  /** The external values, variables and object types in the expression's text. */
  readonly facts: ProgramFacts;
  readonly #run: EvaluateNode;

  constructor(type: CelType, run: EvaluateNode, facts: ProgramFacts) {
    this.type = type;
    this.facts = facts;
    this.#run = run;
  }

  /** Evaluates the expression. Errors are results, including the error of a used-up budget. */
  evaluate(activation: Activation, options: EvaluationOptions = {}): Result {
    return this.#evaluate(this.#frame(activation, options), options);
  }

  /** Evaluates the expression, and also returns the cost in Kubernetes' units. */
  measure(activation: Activation, options: EvaluationOptions = {}): Evaluation {
    const frame = this.#frame(activation, options);
    const value = this.#evaluate(frame, options);
    return { value, cost: frame.cost };
  }

  #frame(activation: Activation, { budget = PER_CALL_LIMIT, external }: EvaluationOptions): EvaluationFrame {
    return new EvaluationFrame(activation, Math.min(budget, PER_CALL_LIMIT), external);
  }

  #evaluate(frame: EvaluationFrame, { work = newWorkBudget() }: EvaluationOptions): Result {
    const value = budgeted(work, () => this.#run(frame));
    return frame.cost > frame.budget ? budgetFault() : value;
  }
}
