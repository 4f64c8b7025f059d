import type { TextProblem } from "../../diagnostics/mod.ts";
import type { Overload } from "../libraries/library.ts";
import type { CelExpression } from "../syntax/mod.ts";
import type { CelType } from "../types/mod.ts";
import type { RootName } from "./declarations.ts";

/** The checker's result for one call. */
export interface CallReference {
  readonly name: string;
  /** The overloads that may apply, by the types that are fixed at load; one when the call is decided. */
  readonly overloads: readonly Overload[];
  /** The receiver first; without it when it was part of a dotted function name. */
  readonly args: readonly CelExpression[];
}

/** The result of checking an expression. */
export interface Checked {
  readonly type: CelType;
  readonly errors: readonly TextProblem[];
  /** The declarations of names, and of selections that are dotted names. Variables of comprehensions have no entry. */
  readonly names: ReadonlyMap<CelExpression, RootName>;
  readonly calls: ReadonlyMap<CelExpression, CallReference>;
  /** The type of a part of the expression. */
  readonly typeOf: (part: CelExpression) => CelType;
}
