import type { Fault, Json, StepBudget } from "../../json/mod.ts";
import type { Environment } from "../plan/value.ts";
import type { Cost } from "../steps.ts";

/** Types as signatures name them. `expref` is an expression that the function applies itself. */
export type ValueType =
  | "any"
  | "number"
  | "string"
  | "array"
  | "object"
  | "array[number]"
  | "array[string]"
  | "expref";

/** The type of a function's result, for its documentation. */
export type ResultType = Exclude<ValueType, "expref"> | "boolean" | "null";

/** One parameter; a value of any of the types will do. */
export interface Parameter {
  readonly name: string;
  readonly types: readonly ValueType[];
}

/** A use of the function that documentation shows and tests run. */
export interface Example {
  readonly expression: string;
  /** The value that the expression is applied to; an empty object when absent. */
  readonly input?: Json;
  readonly result: Json;
}

/** The documentation of a function. */
export interface FunctionNote {
  /** One sentence. */
  readonly summary: string;
  readonly examples: readonly Example[];
}

/**
 * The notes of functions, by name. They are no fields of the records, because a bundler leaves out a constant that
 * nobody reads, but no field of an object.
 */
export type FunctionNotes = Readonly<Record<string, FunctionNote>>;

/**
 * Computes the result from arguments whose number and types were checked. A function whose work only shows while it is
 * done takes it from the budget.
 */
export type Apply = (args: readonly Json[], environment: Environment, budget: StepBudget) => Json | Fault;

interface Signature {
  readonly name: string;
  readonly parameters: readonly Parameter[];
  /** Whether the last parameter may be given several times; its values then come unchecked. */
  readonly variadic?: true;
  /** Whether arguments beyond the parameters are ignored. */
  readonly anyCount?: true;
  readonly returns: readonly ResultType[];
  /** Whether the result depends on more than the arguments. */
  readonly volatile?: true;
  /**
   * Whether the result is a Go integer. Kyverno parity: a Go integer equals no number and has no order. Pinned by
   * "integers of Go equal no number".
   */
  readonly integer?: true;
  /**
   * The message with which Kyverno refuses a Go integer among the arguments of a function that otherwise takes any
   * value.
   */
  readonly integerProblem?: string;
}

/** A function of values. */
export interface PlainFunction extends Signature {
  readonly kind: "plain";
  readonly apply: Apply;
  /**
   * Steps that it takes beside one for each element of its lists and each 32 characters of its texts: for functions
   * that walk whole values, or whose work is more than linear.
   */
  readonly cost?: Cost;
  /** Steps of each call besides, where it takes longer than a usual one: each element of a list may be an argument. */
  readonly steps?: number;
  /**
   * Does once what depends on constant arguments alone, such as compiling a pattern. An argument that is not constant
   * is undefined here. Returns undefined when there is nothing to gain.
   */
  readonly prepare?: (constants: readonly (Json | undefined)[]) => Apply | undefined;
}

/** A function of a list and an expression on its elements, in whatever order its parameters say. */
export interface ByFunction extends Signature {
  readonly kind: "by";
  /** Steps for each element, beside those of the expression; none when absent. */
  readonly steps?: number;
  /** The expression answers null where a key is missing. */
  readonly applyBy: (list: readonly Json[], by: (element: Json) => Json | Fault) => Json | Fault;
}

/** One function: adding one is adding a record to a family's list, and a note. */
export type FunctionRecord = PlainFunction | ByFunction;

/** The functions that a dialect knows, by name. */
export type FunctionTable = ReadonlyMap<string, FunctionRecord>;

/** A table of families of functions; of two functions with one name the later wins. */
export function functionTable(...families: readonly (readonly FunctionRecord[])[]): FunctionTable {
  return new Map(families.flat().map((record) => [record.name, record]));
}

/** A parameter with its types. */
export function parameter(name: string, ...types: readonly ValueType[]): Parameter {
  return { name, types };
}
