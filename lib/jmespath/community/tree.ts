import type { Json } from "../../json/mod.ts";

/** Operators between two values, besides `&&`, `||` and `|`. */
export type Comparison = "==" | "!=" | "<" | "<=" | ">" | ">=";

/** Arithmetic; `//` divides and rounds down. */
export type Arithmetic = "+" | "-" | "*" | "/" | "%" | "//";

/** An expression of the community dialect, as parsed. */
export type Expression =
  /** `@`, and what projections without a right side are applied to. */
  | { readonly kind: "current" }
  /** `$`: the value that the whole expression is applied to. */
  | { readonly kind: "root" }
  /** `$name`. */
  | { readonly kind: "variable"; readonly name: string }
  | { readonly kind: "literal"; readonly value: Json }
  | { readonly kind: "field"; readonly name: string }
  | { readonly kind: "index"; readonly at: number }
  | {
    readonly kind: "slice";
    readonly start: number | undefined;
    readonly stop: number | undefined;
    readonly step: number | undefined;
  }
  /** `left.right` and `left[right]`: nothing is looked for in null. */
  | { readonly kind: "sub"; readonly left: Expression; readonly right: Expression }
  | { readonly kind: "pipe"; readonly left: Expression; readonly right: Expression }
  | { readonly kind: "or"; readonly left: Expression; readonly right: Expression }
  | { readonly kind: "and"; readonly left: Expression; readonly right: Expression }
  | { readonly kind: "not"; readonly operand: Expression }
  | {
    readonly kind: "comparison";
    readonly operator: Comparison;
    readonly left: Expression;
    readonly right: Expression;
  }
  | {
    readonly kind: "arithmetic";
    readonly operator: Arithmetic;
    readonly left: Expression;
    readonly right: Expression;
  }
  | { readonly kind: "sign"; readonly operator: "+" | "-"; readonly operand: Expression }
  /** `[]`. */
  | { readonly kind: "flatten"; readonly operand: Expression }
  /** `left[*].right`; after a slice a text comes through as it is. */
  | {
    readonly kind: "project";
    readonly left: Expression;
    readonly right: Expression;
    readonly ofSlice: boolean;
  }
  /** `left.*.right`. */
  | { readonly kind: "projectValues"; readonly left: Expression; readonly right: Expression }
  /** `left[?condition].right`. */
  | {
    readonly kind: "filter";
    readonly left: Expression;
    readonly right: Expression;
    readonly condition: Expression;
  }
  | { readonly kind: "list"; readonly elements: readonly Expression[] }
  | { readonly kind: "object"; readonly entries: readonly Entry[] }
  | {
    readonly kind: "call";
    readonly name: string;
    readonly args: readonly Expression[];
    readonly at: number;
  }
  /** `&expression`, an argument that the function applies itself. */
  | { readonly kind: "reference"; readonly expression: Expression; readonly at: number }
  | { readonly kind: "let"; readonly bindings: readonly Entry[]; readonly body: Expression };

/** A named expression. */
export interface Entry {
  readonly name: string;
  readonly value: Expression;
}
