import { Fault, isList, type Json, type StepBudget, stepsOfText } from "../json/mod.ts";

/**
 * Steps of one evaluation: about a tenth of a second. A review of 3 MB has at most 1.5 million list elements. A step is
 * an element of a list that is visited or made, or 32 characters of a text that a function reads or writes. What does
 * not grow with the input, such as reading a field, costs nothing: the size of the expression bounds it.
 */
export const maxSteps = 2_000_000;

/** The fault of an evaluation that would take more steps. Operators that turn faults into null do not hide it. */
export const outOfSteps = new Fault(
  `the expression takes more than ${maxSteps} steps: it visits or makes too many values`,
);

/** The steps of a new evaluation: as many as one may take, or those that are left where it shares a budget. */
export function newBudget({ budget }: { readonly budget?: StepBudget } = {}): StepBudget {
  return { left: stepsFor(budget) };
}

/** The steps of an evaluation that shares a budget. */
export function stepsFor(shared: StepBudget | undefined): number {
  return shared === undefined || shared.left > maxSteps ? maxSteps : shared.left;
}

/** Takes steps from a budget before they are done; a fault when the budget has fewer. */
export function spend(steps: number, budget: StepBudget): Fault | undefined {
  budget.left -= steps;
  return budget.left < 0 ? outOfSteps : undefined;
}

/** After more steps than this the result may be small in memory and huge for code that walks it. */
const suspiciousSteps = 64;

/**
 * The result of an evaluation, or a fault when it took too many steps. A list that holds one large object many times
 * costs little to make, but comparing or writing it walks all of it. Such a result is weighed, which takes a step
 * for each eight parts.
 */
export function checkedResult(value: Json | Fault, budget: StepBudget, granted = maxSteps): Json | Fault {
  if (budget.left < 0) return outOfSteps;
  if (budget.left > granted - suspiciousSteps || value instanceof Fault) return value;
  const weight = weightOf(value, maxSteps);
  return (weight > maxSteps ? outOfSteps : spend(weight >> 3, budget)) ?? value;
}

/** Takes the steps of an evaluation from the budget that it shares: all of it when the evaluation ran out of steps. */
export function spendShared(shared: StepBudget | undefined, { left }: StepBudget, granted = maxSteps): void {
  if (shared !== undefined) shared.left = left < 0 ? -1 : shared.left - (granted - left);
}

/** An object of more fields is a table of hashes. To walk it takes steps besides for each of its further fields. */
const manyFields = 1_000, stepsOfFurtherField = 6;

/** The steps of reading so many fields of an object. */
export function stepsOfFields(count: number): number {
  return count > manyFields ? stepsOfFurtherField * count : count;
}

/** Steps that a walk through a whole value takes. Counting ends where the limit is passed. */
export function weightOf(value: Json, limit: number): number {
  if (typeof value === "string") return stepsOfText(value);
  if (typeof value !== "object" || value === null) return 1;
  let steps = 1;
  if (isList(value)) {
    for (let index = 0; index < value.length && steps <= limit; index++) {
      steps += weightOf(value[index]!, limit - steps);
    }
    return steps;
  }
  const fields = value as { readonly [name: string]: Json };
  let count = 0;
  for (const name in fields) {
    steps += weightOf(fields[name]!, limit - steps);
    if (++count > manyFields) steps += stepsOfFurtherField;
    if (steps > limit) break;
  }
  return steps;
}

/** Steps that a function takes with given arguments. Counting may end at the limit. */
export type Cost = (args: readonly Json[], limit: number) => number;

/** The steps of a call besides what its arguments cost: for most functions a quarter of a microsecond. */
const stepsOfCall = 5;

/** Takes what a function costs with these arguments. */
export function spendOnArguments(
  { cost, steps: base = stepsOfCall }: { readonly cost?: Cost; readonly steps?: number },
  values: readonly Json[],
  budget: StepBudget,
): Fault | undefined {
  let steps = cost === undefined ? base : base + cost(values, budget.left);
  for (let index = 0; index < values.length; index++) steps += breadthOf(values[index]!);
  return spend(steps, budget);
}

/** Takes what making a function's result costs; the result, or a fault when that is too much. */
export function spendOnResult(result: Json | Fault, budget: StepBudget): Json | Fault {
  if (result instanceof Fault) return result;
  const steps = breadthOf(result);
  return (steps === 0 ? undefined : spend(steps, budget)) ?? result;
}

/** Of a list its elements, of a text 32 characters each. */
function breadthOf(value: Json): number {
  if (typeof value === "string") return value.length >> 5;
  return Array.isArray(value) ? value.length : 0;
}

/**
 * The steps of writing a value as JSON: it is measured, sorted and written, and even the smallest takes half a
 * microsecond. Counting may end at the limit.
 */
export function stepsOfWriting(value: Json, limit: number): number {
  return typeof value === "object" && value !== null ? 8 + 3 * weightOf(value, limit / 3) : 2;
}

/** The steps for a list or an object that an expression makes: they stand for the memory that it takes. */
export const stepsOfMade = 6;

/** The steps of sorting, for each element of a list. */
export const stepsOfSorting = 16;
