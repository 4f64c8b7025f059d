/** The messages between the page and the engine's worker. */
import type { Diagnostic, Position } from "../../../lib/diagnostics/mod.ts";
import type { JsonObject } from "../../../lib/json/mod.ts";
import type {
  InputOutcome,
  InputSummary,
  SimulationOptions,
  SimulationTexts,
} from "../../../lib/simulation/mod.ts";
import type { ExpressionResult, ExpressionTask } from "./expressions.ts";
import type { FunctionNote } from "./language.ts";
import type { Files } from "./test_folder.ts";

/** A request of the page. Each has a number that its answers repeat. */
export type EngineRequest =
  | {
    readonly kind: "run";
    readonly number: number;
    readonly texts: SimulationTexts;
    readonly options: SimulationOptions;
  }
  /** The outcome of one input of the last run, whole. */
  | { readonly kind: "outcome"; readonly number: number; readonly index: number }
  | { readonly kind: "expression"; readonly number: number; readonly task: ExpressionTask }
  | { readonly kind: "language"; readonly number: number }
  /** The last run as the folder of a test. */
  | { readonly kind: "folder"; readonly number: number };

/** A position in the resources where a rule fails. */
export interface FailurePosition {
  /** Index in the outcome's rules. */
  readonly rule: number;
  readonly position: Position;
  readonly message: string;
}

/** The objects of an outcome as YAML, as people read them. */
export interface OutcomeYaml {
  readonly object: string;
  readonly mutated: string;
  readonly generated: readonly string[];
  readonly targets: readonly { readonly before: string; readonly after: string }[];
}

/** An answer of the worker. */
export type Answer =
  /** The worker can be asked. */
  | { readonly kind: "ready"; readonly number: 0 }
  /** A run is taken up: whatever kept the worker busy is over. */
  | { readonly kind: "begun"; readonly number: number }
  | {
    readonly kind: "loaded";
    readonly number: number;
    readonly diagnostics: readonly Diagnostic[];
    readonly policyCount: number;
    readonly inputCount: number;
    readonly milliseconds: number;
  }
  /** More summaries of a run; the last ones are marked. */
  | {
    readonly kind: "summaries";
    readonly number: number;
    readonly summaries: readonly InputSummary[];
    readonly isLast: boolean;
    readonly milliseconds: number;
  }
  | {
    readonly kind: "outcome";
    readonly number: number;
    readonly index: number;
    readonly outcome: InputOutcome;
    readonly failures: readonly FailurePosition[];
    readonly yaml: OutcomeYaml;
  }
  | { readonly kind: "expression"; readonly number: number; readonly result: ExpressionResult }
  | { readonly kind: "folder"; readonly number: number; readonly files: Files }
  | {
    readonly kind: "language";
    readonly number: number;
    /** JSON Schemas by kind of policy. */
    readonly schemas: Readonly<Record<string, JsonObject>>;
    readonly functions: readonly FunctionNote[];
    /** Of conditions. */
    readonly operators: readonly string[];
  };
