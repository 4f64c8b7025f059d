import type { CompiledExpression } from "../jmespath/mod.ts";
import type { DocumentPath, Fault } from "../json/mod.ts";

/** One variable of a template, for the checks of policies: `{{ request.object.metadata.name }}`. */
export interface Use {
  /** The expression without its braces, with inner variables as the policy has them. */
  readonly expression: string;
  /** The path of the string or key that holds the variable. */
  readonly path: DocumentPath;
  /** The position of its `{{` in that string, from 1. */
  readonly column: number;
  /** The root names that the expression reads. If it has inner variables, only the names that do not depend on them. */
  readonly names: readonly string[];
  /** The paths that the expression reads, as far as its text shows them. */
  readonly paths: CompiledExpression["paths"];
  /** The names of the functions that it calls. If it has inner variables, only those that do not depend on them. */
  readonly functions: CompiledExpression["functions"];
  /** Its calls, as it is written; none if it has inner variables, whose values may be more arguments. */
  readonly calls: CompiledExpression["calls"];
  /** Why it can never be evaluated: it does not compile. */
  readonly problem?: Fault;
}
