import { CelFault } from "./fault.ts";
import type { Result } from "./libraries/library.ts";
import {
  type Activation,
  BudgetExceeded,
  budgetFault,
  type EvaluateNode,
  EvaluationFrame,
} from "./plan/mod.ts";
import type { ProgramFacts } from "./program_facts.ts";
import type { CelType } from "./types/mod.ts";
import type { ExternalCalls } from "./external_calls.ts";

/** What one expression may cost in Kubernetes before it is stopped. */
export const PER_CALL_LIMIT = 1_000_000;
/** What all expressions of one policy may cost together for one request. */
export const POLICY_BUDGET = 10_000_000;

/** How to evaluate, beside the variables. */
export interface EvaluationOptions {
  /** The cost at which evaluation is stopped, at most and by default {@link PER_CALL_LIMIT}. */
  readonly budget?: number;
  /** Answers the functions that read values from outside. */
  readonly external?: ExternalCalls;
}

/** A value or an error, and what it cost to find it. */
export interface Evaluation {
  readonly value: Result;
  readonly cost: number;
}

/** An expression that is ready to be evaluated any number of times. */
export class Program {
  /** The type of its value. */
  readonly type: CelType;
  /** What it reads and makes, as far as its text says. */
  readonly facts: ProgramFacts;
  readonly #run: EvaluateNode;

  constructor(type: CelType, run: EvaluateNode, facts: ProgramFacts) {
    this.type = type;
    this.facts = facts;
    this.#run = run;
  }

  /** Evaluates the expression. Errors are returned, also that the budget is spent. */
  evaluate(activation: Activation, options: EvaluationOptions = {}): Result {
    return this.#evaluate(this.#frame(activation, options));
  }

  /** Evaluates the expression and tells what that cost, in the units of Kubernetes. */
  measure(activation: Activation, options: EvaluationOptions = {}): Evaluation {
    const frame = this.#frame(activation, options);
    const value = this.#evaluate(frame);
    return { value, cost: frame.cost };
  }

  #frame(activation: Activation, { budget = PER_CALL_LIMIT, external }: EvaluationOptions): EvaluationFrame {
    return new EvaluationFrame(activation, Math.min(budget, PER_CALL_LIMIT), external);
  }

  #evaluate(frame: EvaluationFrame): Result {
    try {
      const value = this.#run(frame);
      return frame.cost > frame.budget ? budgetFault() : value;
    } catch (cause) {
      if (cause instanceof BudgetExceeded) return budgetFault();
      if (cause instanceof RangeError) return new CelFault("other", `evaluation failed: ${cause.message}`);
      throw cause;
    }
  }
}
