import { Fault, type Json, type StepBudget } from "../../json/mod.ts";
import type { Environment } from "../plan/value.ts";
import type { Bindings } from "./bindings.ts";
import type { CommunityTable } from "./functions/record.ts";
import { growth } from "./growth.ts";
import { parse } from "./parser.ts";
import { checkedResult, newBudget } from "../steps.ts";
import { plan } from "./plan.ts";
import { syntaxFault } from "./syntax_fault.ts";

/** The bindings and the environment of an expression of the community dialect. */
export interface CommunityInput {
  readonly bindings: Bindings;
  readonly environment: Environment;
  /** The steps that this and other expressions may take together; each has a budget of its own when absent. */
  readonly budget?: StepBudget;
}

/** A compiled expression: applied to a value, it answers with a value or a fault. */
export type CommunityExpression = (value: Json, input: CommunityInput) => Json | Fault;

/** Longest expression, in UTF-16 units. */
const maxLength = 100_000;

/** Copies of the input in a result; policies make some tens. */
const maxGrowth = 10_000;

/** Compiles expressions with one table of functions. */
export function communityCompiler(functions: CommunityTable): (text: string) => CommunityExpression | Fault {
  return (text) => {
    if (text.length > maxLength) return syntaxFault(`more than ${maxLength} characters`, maxLength);
    const expression = parse(text);
    if (expression instanceof Fault) return expression;
    if (growth(expression) > maxGrowth) {
      return syntaxFault(`the result could hold its input more than ${maxGrowth} times`, 0);
    }
    const evaluate = plan(expression, functions);
    return (value, { bindings, environment, budget = newBudget() }) =>
      checkedResult(evaluate(value, { root: value, bindings, environment, budget }), budget);
  };
}
