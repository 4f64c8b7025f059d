import type { TextProblem } from "../../diagnostics/mod.ts";
import { type CelExpression, partsOf } from "../syntax/mod.ts";
import { type CelType, describeType, dynType, optionalElement, sameType } from "../types/mod.ts";

/** Functions whose arguments may have different types. */
const exempt = new Set(["format"]);

/**
 * Finds list and map literals whose elements have different types, which Kubernetes refuses. The expression must have
 * passed the checker. Inside a call of `format`, types may differ.
 */
export function findMixedLiterals(
  expression: CelExpression,
  typeOf: (part: CelExpression) => CelType,
): readonly TextProblem[] {
  const errors = new Map<string, TextProblem>();
  const compare = (parts: readonly { readonly at: CelExpression; readonly type: CelType }[]): void => {
    const [first, ...rest] = parts;
    const other = rest.find(({ type }) => !sameType(type, first!.type));
    if (first === undefined || other === undefined) return;
    const [expected, found] = [first.type, other.type].map(describeType);
    const error = { offset: other.at.offset, message: `expected type '${expected}' but found '${found}'` };
    errors.set(`${error.offset} ${error.message}`, error);
  };
  const element = (at: CelExpression, optional: boolean): { at: CelExpression; type: CelType } => {
    const type = typeOf(at);
    return { at, type: optional ? optionalElement(type) ?? dynType : type };
  };
  const visit = (part: CelExpression): void => {
    if (part.kind === "call" && exempt.has(part.name)) return;
    if (part.kind === "list") compare(part.elements.map(({ value, optional }) => element(value, optional)));
    else if (part.kind === "map") {
      compare(part.entries.map(({ key }) => element(key, false)));
      compare(part.entries.map(({ value, optional }) => element(value, optional)));
    }
    for (const inner of partsOf(part)) visit(inner);
  };
  visit(expression);
  return [...errors.values()];
}
