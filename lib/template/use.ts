import type { CompiledExpression } from "../jmespath/mod.ts";
import type { Fault } from "../json/mod.ts";

/** Where something stands in a document: object keys and list indexes from its root. */
export type DocumentPath = readonly (string | number)[];

/** One variable of a template, for those who check policies: `{{ request.object.metadata.name }}`. */
export interface Use {
  /** The expression without its braces; inner variables stand as they were written. */
  readonly expression: string;
  /** The string in the document, or the key, that holds the variable. */
  readonly path: DocumentPath;
  /** Where its `{{` stands in that string, from 1. */
  readonly column: number;
  /** Root names that the expression reads. For an expression with variables inside, those that do not depend on them. */
  readonly names: readonly string[];
  /** What the expression reads, as far as it is known beforehand. */
  readonly paths: CompiledExpression["paths"];
  /** Why it can never be evaluated: it does not compile. */
  readonly problem?: Fault;
}
