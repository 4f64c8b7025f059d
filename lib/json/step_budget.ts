/**
 * How much work may still be done at a stretch. A step takes some tens of nanoseconds: an element that is visited or
 * made, or some characters of a text. Below zero the work has ended early and has no result.
 */
export interface StepBudget {
  left: number;
}

/** The steps that reading a text once takes from a {@link StepBudget}: one for each 32 characters. */
export function stepsOfText({ length }: string): number {
  return 1 + (length >> 5);
}
