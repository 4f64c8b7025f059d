import { celToJson } from "./json.ts";
import { isFault } from "../json/mod.ts";
import { type CelExpression, partsOf } from "./syntax/mod.ts";

/** A node of an expression's tree, for people. */
export interface CelOutline {
  /** The kind of the node: `select`, `call`, `comprehension` … */
  readonly name: string;
  /** The name or value of the node: `.spec`, `_&&_`, `'nginx'`. */
  readonly value?: string;
  /** The position at which errors report it, in UTF-16 units from the start of the text. */
  readonly offset: number;
  readonly children: readonly CelOutline[];
}

/** The tree of an expression, which shows people how it was parsed. Macros are expanded. */
export function outline(expression: CelExpression): CelOutline {
  const value = valueOf(expression);
  return {
    name: expression.kind,
    ...(value !== undefined && { value }),
    offset: expression.offset,
    children: partsOf(expression).map(outline),
  };
}

function valueOf(expression: CelExpression): string | undefined {
  switch (expression.kind) {
    case "literal": {
      const json = celToJson(expression.value);
      return isFault(json) ? undefined : JSON.stringify(json);
    }
    case "ident":
      return expression.name;
    case "select":
      return `${{ value: ".", optional: ".?", presence: "has ." }[expression.mode]}${expression.field}`;
    case "index":
      return expression.mode === "optional" ? "[?]" : "[]";
    case "call":
      return expression.name;
    case "logic":
      return expression.operator;
    case "struct":
      return expression.type;
    case "comprehension":
      return `${expression.fold}(${expression.variables.join(", ")})`;
    case "bind":
      return expression.name;
    default:
      return undefined;
  }
}
