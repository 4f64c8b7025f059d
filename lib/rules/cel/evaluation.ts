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
import { fewSteps, type LoadTracker } from "../../context/mod.ts";
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
  /** Counts the work of a request; absent where the API server has bounded it. */
  readonly tracker?: Pick<LoadTracker, "observer" | "areStepsUsedUp" | "charge"> | undefined;
}

/** The steps for each unit of cost: all units of a policy are as many steps as those of a rule. */
const stepsOfUnit = 0.4;

/** The nanoseconds of a step, for calls whose work is counted as time. */
const nanosecondsOfStep = 64;

/** The cost that a policy may have after the steps of the request are used up. */
const fewUnits = fewSteps / stepsOfUnit;

const outOfRequestSteps = `the request takes too many steps, and this policy costs more than ${fewUnits}`;

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
  /** The work that was left when the request's steps were charged last. */
  #workBefore = this.#work.left;

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
    const observer = this.#options.tracker?.observer;
    if (observer === undefined) return;
    const plain = celToJson(value);
    observer.expression({ expression, value: isCelFault(plain) ? new Fault(plain.message) : plain });
  }

  #run(program: Program, lookup: Activation): Result {
    const { tracker, host } = this.#options, isShort = tracker?.areStepsUsedUp === true;
    if (isShort) this.#shorten();
    const budget = this.#remaining;
    if (budget <= 0) return new CelFault("cost", isShort ? outOfRequestSteps : outOfBudget);
    const { value, cost } = program.measure(lookup, { budget, work: this.#work, external: host });
    this.#remaining -= cost;
    const { left } = this.#work;
    // An expression includes the work of the variables that it reads.
    tracker?.charge(Math.max(cost * stepsOfUnit, (this.#workBefore - left) / nanosecondsOfStep));
    this.#workBefore = left;
    const spent = isCelFault(value) && value.kind === "cost" && budget < PER_CALL_LIMIT;
    return spent ? new CelFault("cost", isShort ? outOfRequestSteps : outOfBudget) : value;
  }

  /** Leaves the policy the few steps that each has after those of the request are used up. */
  #shorten(): void {
    this.#remaining = Math.min(this.#remaining, fewUnits);
    this.#work.left = this.#workBefore = Math.min(this.#work.left, fewSteps * nanosecondsOfStep);
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
