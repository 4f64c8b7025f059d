import type { StepBudget } from "../json/mod.ts";
import type { Filled, Walk } from "./node.ts";

/** The values of a walk's templates, and its bound. */
export interface WalkOptions {
  readonly filled?: readonly Filled[];
  readonly steps?: StepBudget | undefined;
}

const noTemplates: readonly Filled[] = [];

/** Begins a walk. */
export function walkWith({ filled = noTemplates, steps = { left: Infinity } }: WalkOptions): Walk {
  return { presence: undefined, filled, steps };
}
