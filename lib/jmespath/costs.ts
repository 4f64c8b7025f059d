import type { Fault, Json, StepBudget } from "../json/mod.ts";
import { type Cost, spendOnArguments, stepsOfFields, stepsOfSorting, weightOf } from "./steps.ts";

/** The cost of a function that walks all of its arguments. */
export function wholeValues(args: readonly Json[], limit: number): number {
  let steps = 0;
  for (const value of args) {
    if (typeof value === "object" && value !== null) steps += weightOf(value, limit - steps);
  }
  return steps;
}

/** The cost of searching for a text; a long one is read before. */
export function searchingFor([, search]: readonly Json[], limit: number): number {
  return perCharacter(0.5)([search!], limit);
}

/** The cost of a function that looks at each field of its objects. */
export function fieldsOfArguments(args: readonly Json[], limit: number): number {
  let steps = 0;
  for (const value of args) {
    if (typeof value !== "object" || value === null || Array.isArray(value)) continue;
    steps += stepsOfFields(Object.keys(value).length);
    if (steps > limit) break;
  }
  return steps;
}

/** The most characters of a text that is not counted: reading it costs less than a step. */
const shortText = 64;

/** Returns a cost of so many steps for each character of the arguments that are texts. */
export function perCharacter(steps: number): Cost {
  return (args) => {
    let characters = 0;
    for (const text of args) {
      if (typeof text === "string" && text.length > shortText) characters += text.length;
    }
    return steps * characters;
  };
}

/** The cost of sorting a list. */
export function sorting([list]: readonly Json[]): number {
  return Array.isArray(list) ? stepsOfSorting * list.length : 0;
}

/**
 * Takes what it costs to read arguments that a function refuses because of their types; the fault. Operators turn it
 * into null, so that a loop may go on.
 */
export function spendOnRefused(
  fault: Fault | undefined,
  values: readonly Json[],
  budget: StepBudget,
): Fault | undefined {
  return fault === undefined
    ? undefined
    : spendOnArguments({ cost: fieldsOfArguments }, values, budget) ?? fault;
}
