import {
  type Activation,
  CelFault,
  celToJson,
  type CelType,
  type ExternalCalls,
  isCelFault,
  newWorkBudget,
  Opaque,
  opaqueType,
  PER_CALL_LIMIT,
  POLICY_BUDGET,
  type Program,
  type Result,
} from "../../cel/mod.ts";
import type { Observer } from "../../context/mod.ts";
import { Fault, type Json } from "../../json/mod.ts";
import type { CompositedVariable } from "./expressions.ts";

/** The variables and external calls of one rule's expressions for one request. */
export interface CelEvaluationOptions {
  readonly roots: Activation;
  readonly variables: readonly CompositedVariable[];
  readonly host: ExternalCalls;
  /**
   * Returns the message for a failed variable in the expressions that use it; when absent, they have the variable's
   * fault.
   */
  readonly variableFault?: (name: string, cause: string) => string;
  /** Set only for requests that are explained. */
  readonly observer?: Observer | undefined;
}

/** Kyverno's message for a policy that has used up its cost budget. */
const outOfBudget =
  "validation failed due to running out of cost budget, no further validation rules will be run";

/**
 * Evaluates the expressions of one rule for one request. They share a cost budget and a budget of work, and each
 * variable is evaluated at most once, when an expression first reads it.
 */
export class CelEvaluation {
  readonly #options: CelEvaluationOptions;
  readonly #lookup: Activation;
  #remaining = POLICY_BUDGET;
  readonly #work = newWorkBudget();

  constructor(options: CelEvaluationOptions) {
    this.#options = options;
    const variables = new LazyVariables((name) => this.#variable(name));
    this.#lookup = (name) => name === "variables" ? variables : options.roots(name);
  }

  /** Evaluates an expression. */
  evaluate(program: Program): Result {
    return this.#run(program, this.#lookup);
  }

  /** Evaluates an expression and copies its value, which counts as work too. */
  evaluateToJson(program: Program): Json | CelFault {
    const value = this.evaluate(program);
    return isCelFault(value) ? value : celToJson(value, this.#work);
  }

  /** Evaluates an expression with additional variables, such as the object after earlier mutations; null is a value. */
  evaluateWith(program: Program, roots: Activation): Result {
    return this.#run(program, (name) => {
      const value = roots(name);
      return value === undefined ? this.#lookup(name) : value;
    });
  }

  /** Reports the value of an expression to the trace, when there is one. */
  record(expression: string, value: Result): void {
    const { observer } = this.#options;
    if (observer === undefined) return;
    const plain = celToJson(value);
    observer.expression({ expression, value: isCelFault(plain) ? new Fault(plain.message) : plain });
  }

  #run(program: Program, lookup: Activation): Result {
    const budget = this.#remaining;
    if (budget <= 0) return new CelFault("cost", outOfBudget);
    const { value, cost } = program.measure(lookup, {
      budget,
      work: this.#work,
      external: this.#options.host,
    });
    this.#remaining -= cost;
    const spent = isCelFault(value) && value.kind === "cost" && budget < PER_CALL_LIMIT;
    return spent ? new CelFault("cost", outOfBudget) : value;
  }

  #variable(name: string): Result | undefined {
    const variable = this.#options.variables.find((each) => each.name === name);
    if (variable === undefined) return undefined;
    const value = this.#run(variable.program, this.#lookup);
    this.record(`variables.${name}`, value);
    const { variableFault } = this.#options;
    if (!isCelFault(value) || variableFault === undefined || value.kind === "pending") return value;
    return new CelFault(value.kind, variableFault(name, value.message));
  }
}

const variablesType = opaqueType("variables");

/** `variables`: its fields are evaluated when they are read. */
class LazyVariables extends Opaque {
  readonly type: CelType = variablesType;
  readonly #evaluate: (name: string) => Result | undefined;
  readonly #values = new Map<string, Result | undefined>();

  constructor(evaluate: (name: string) => Result | undefined) {
    super();
    this.#evaluate = evaluate;
  }

  override field(name: string): Result | undefined {
    if (this.#values.has(name)) return this.#values.get(name);
    const value = this.#evaluate(name);
    this.#values.set(name, value);
    return value;
  }

  override equals(other: Opaque): boolean {
    return other === this;
  }

  override toString(): string {
    return "variables";
  }
}
