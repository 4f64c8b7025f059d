/**
 * A library of CEL functions. To add one:
 *
 * 1. write `libraries/NAME.ts` that exports one {@link Library}: a table of functions made with {@link overload}
 * (called as `name(a, b)`, also for dotted names such as `math.abs(a)`) and {@link method} (called as `a.name(b)`);
 * 2. add its line to the table in `libraries/mod.ts`.
 *
 * `takes` and `gives` are the types that expressions are checked against; TypeScript derives the types of the
 * implementation's arguments from `takes`, and at run time an implementation is only ever called with values of those
 * types. Errors are returned (`failure("…")`), never thrown. A type of your own is an `opaqueType("my.Thing")`
 * together with a class that extends `Opaque`. `cost` is needed only when a call costs other than 1; it may be given
 * errors as arguments, so measure with `costSize`. A function that reads values from outside takes `callOut` instead
 * of `call`: it gets the {@link ExternalCalls}. Their answers may be `pending` faults, which it returns as they are.
 */
import type { ConstantText, ExternalNeed } from "../external_need.ts";
import type { CelFault } from "../fault.ts";
import type { Macro } from "../syntax/mod.ts";
import type { CelType, ValueOf } from "../types/mod.ts";
import type { Value } from "../values/mod.ts";
import type { ExternalCalls } from "../external_calls.ts";

/** The behaviour where Kubernetes and the CEL specification disagree. */
export type CelDialect = "kubernetes" | "specification";

/** The result of an evaluation: a value or an error. */
export type Result = Value | CelFault;

/** The implementation of an overload, without the types of its arguments. */
export type Implementation = (...args: Value[]) => Result;

/** An argument, as far as it is fixed at load. */
export interface CallArgument {
  readonly type: CelType;
  /** Its value, when it is constant. */
  readonly value: Value | undefined;
  readonly offset: number;
  /** Its elements, when it is written as a list. */
  readonly elements: readonly CallArgument[] | undefined;
}

/** A mistake in arguments that is found at load. */
export interface ArgumentMistake {
  /** The offset of the mistake; that of the call when absent. */
  readonly offset?: number;
  readonly message: string;
}

/** One signature of a function, with its implementation. {@link overload} and {@link method} make it. */
export interface Overload {
  readonly id: string;
  readonly style: "function" | "method";
  /** The receiver first. */
  readonly parameters: readonly CelType[];
  readonly result: CelType;
  readonly call: Implementation;
  readonly callOut?: (external: ExternalCalls, ...args: Value[]) => Result;
  /** Set for a function that calls out: returns the needs of a call, by its arguments without the receiver. */
  readonly needs?: (args: readonly ConstantText[]) => readonly ExternalNeed[];
  /** The run-time cost of one call; 1 when absent. Arguments and result may be errors. */
  readonly cost?: (args: readonly Result[], result: Result) => number;
  /**
   * Set when the time of a call grows faster than its arguments. The budget is then checked before the call, so `cost`
   * must not need the result.
   */
  readonly superlinear?: true;
  /**
   * The work of a call that takes much longer than its cost says, in nanoseconds. It is counted before the call, apart
   * from the cost: an evaluation that has worked for too long ends as if it had used up its budget.
   */
  readonly effort?: (args: readonly Result[], constants: readonly (Value | undefined)[]) => number;
  /** Set when the implementation checks the types of its arguments and returns `noSuchOverload` where needed. */
  readonly dispatches?: true;
  /** Set when a call with constant arguments is computed at load. */
  readonly folds?: true;
  /** Finds mistakes in arguments, the receiver first, as far as they are fixed at load. */
  readonly check?: (args: readonly CallArgument[]) => ArgumentMistake | undefined;
  /** A faster implementation for constant arguments (`undefined` where one is not), such as a compiled pattern. */
  readonly prepare?: (constants: readonly (Value | undefined)[]) => Implementation | undefined;
  /**
   * Makes the implementation for one call in an expression. It may cache values that it computes from arguments, such
   * as patterns.
   */
  readonly forCall?: () => Implementation;
  /** The same for a function that calls out. */
  readonly forCallOut?: () => NonNullable<Overload["callOut"]>;
}

/** A function under one name, with all its signatures. */
export interface FunctionDeclaration {
  readonly name: string;
  readonly overloads: readonly Overload[];
}

/** A set of functions, macros and types that an environment may include. */
export interface Library {
  readonly name: string;
  readonly functions: readonly FunctionDeclaration[];
  readonly macros?: readonly Macro[];
  /** Types whose names expressions may use as values. */
  readonly types?: readonly CelType[];
  /** Named constants, such as those of an enumeration. */
  readonly constants?: Readonly<Record<string, { readonly type: CelType; readonly value: Value }>>;
  /** Object types by name that expressions may construct: `Name{field: value}`. */
  readonly structs?: (name: string) => CelType | undefined;
  /** Set when the library adds the syntax of optional values. */
  readonly syntax?: "optional";
}

type ArgumentsOf<P extends readonly CelType[]> = { -readonly [K in keyof P]: ValueOf<P[K]> };

/** An overload as a library declares it. */
interface Definition<P extends readonly CelType[]> {
  readonly id: string;
  readonly takes: P;
  readonly gives: CelType;
  readonly cost?: (args: readonly Result[], result: Result) => number;
  readonly superlinear?: true;
  readonly effort?: Overload["effort"];
  readonly dispatches?: true;
  readonly folds?: true;
  readonly check?: (args: readonly CallArgument[]) => ArgumentMistake | undefined;
  readonly needs?: Overload["needs"];
  readonly prepare?: (
    constants: readonly (Value | undefined)[],
  ) => ((...args: ArgumentsOf<P>) => Result) | undefined;
  readonly forCall?: () => (...args: ArgumentsOf<P>) => Result;
}

type Pure<P extends readonly CelType[]> = Definition<P> & {
  readonly call: (...args: ArgumentsOf<P>) => Result;
};

type Loading<P extends readonly CelType[]> = Definition<P> & {
  readonly callOut: (external: ExternalCalls, ...args: ArgumentsOf<P>) => Result;
  readonly forCallOut?: () => (external: ExternalCalls, ...args: ArgumentsOf<P>) => Result;
};

/** A signature that is called as a function: `name(a, b)`. */
export function overload<const P extends readonly CelType[]>(definition: Pure<P> | Loading<P>): Overload {
  return erase(definition, "function");
}

/** A signature that is called on its first argument: `a.name(b)`. */
export function method<const P extends readonly CelType[]>(definition: Pure<P> | Loading<P>): Overload {
  return erase(definition, "method");
}

/**
 * Drops the types of an implementation. This is sound because the planner checks the type of every argument against
 * `takes` before the call.
 */
function erase<P extends readonly CelType[]>(
  definition: Pure<P> | Loading<P>,
  style: Overload["style"],
): Overload {
  const { takes, gives, ...rest } = definition;
  const call = "call" in definition ? definition.call : withoutExternalCalls;
  return { ...rest, style, parameters: takes, result: gives, call } as unknown as Overload;
}

function withoutExternalCalls(): Result {
  throw new Error("a function that reads values from outside was called without external calls");
}
