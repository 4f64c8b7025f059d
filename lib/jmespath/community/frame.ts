import type { Fault, Json, StepBudget } from "../../json/mod.ts";
import type { Environment } from "../plan/value.ts";
import type { Bindings } from "./bindings.ts";

/** The values that an expression can read besides the current value. */
export interface Frame {
  /** The value that the whole expression is applied to: `$`. */
  readonly root: Json;
  readonly bindings: Bindings;
  readonly environment: Environment;
  /** Shared by all evaluations for the same value. */
  readonly budget: StepBudget;
}

/** A planned expression: the current value and the frame in, a value or a fault out. */
export type CommunityEvaluate = (current: Json, frame: Frame) => Json | Fault;
