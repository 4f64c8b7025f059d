import type { Json } from "../../json/mod.ts";

/** How two values are compared. */
export type ComparisonOperator = "==" | "!=" | "<" | "<=" | ">" | ">=";

/** A parsed expression. `current` is the value that the expression is applied to. */
export type Expression =
  | { readonly kind: "current" }
  | { readonly kind: "literal"; readonly value: Json }
  | { readonly kind: "field"; readonly name: string }
  | { readonly kind: "index"; readonly index: number }
  | {
    readonly kind: "slice";
    readonly start: number | undefined;
    readonly stop: number | undefined;
    readonly step: number | undefined;
  }
  /** `left.right` and `left[0]`: the right side on the result of the left one. */
  | { readonly kind: "sub"; readonly left: Expression; readonly right: Expression }
  /** `left | right`: like `sub`, but a key that the left side misses reads as null. */
  | { readonly kind: "pipe"; readonly left: Expression; readonly right: Expression }
  /** `left[*].right`: the right side on each element of a list. */
  | { readonly kind: "projection"; readonly left: Expression; readonly right: Expression }
  /** `left.*.right`: the right side on each value of an object. */
  | { readonly kind: "values"; readonly left: Expression; readonly right: Expression }
  /** `left[?condition].right`. */
  | {
    readonly kind: "filter";
    readonly left: Expression;
    readonly condition: Expression;
    readonly right: Expression;
  }
  /** `of[]`: one level of lists removed. */
  | { readonly kind: "flatten"; readonly of: Expression }
  | { readonly kind: "or"; readonly left: Expression; readonly right: Expression }
  | { readonly kind: "and"; readonly left: Expression; readonly right: Expression }
  | { readonly kind: "not"; readonly of: Expression }
  | {
    readonly kind: "compare";
    readonly operator: ComparisonOperator;
    readonly left: Expression;
    readonly right: Expression;
  }
  | { readonly kind: "list"; readonly items: readonly Expression[] }
  | {
    readonly kind: "object";
    readonly entries: readonly { readonly key: string; readonly value: Expression }[];
  }
  /** A function call; `name` is undefined for a call on something that is not a name, such as `@(x)`. */
  | { readonly kind: "call"; readonly name: string | undefined; readonly args: readonly Expression[] }
  /** `&of`: an expression handed to a function. */
  | { readonly kind: "reference"; readonly of: Expression };
