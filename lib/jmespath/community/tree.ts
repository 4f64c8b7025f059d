import type { ComparisonOperator } from "../syntax/tree.ts";
import type { Json } from "../../json/mod.ts";

/** Arithmetic; `//` divides and rounds down. */
export type Arithmetic = "+" | "-" | "*" | "/" | "%" | "//";

/** An expression of the community dialect, as parsed. */
export type CommunityNode =
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
  | { readonly kind: "sub"; readonly left: CommunityNode; readonly right: CommunityNode }
  | { readonly kind: "pipe"; readonly left: CommunityNode; readonly right: CommunityNode }
  | { readonly kind: "or"; readonly left: CommunityNode; readonly right: CommunityNode }
  | { readonly kind: "and"; readonly left: CommunityNode; readonly right: CommunityNode }
  | { readonly kind: "not"; readonly operand: CommunityNode }
  | {
    readonly kind: "comparison";
    readonly operator: ComparisonOperator;
    readonly left: CommunityNode;
    readonly right: CommunityNode;
  }
  | {
    readonly kind: "arithmetic";
    readonly operator: Arithmetic;
    readonly left: CommunityNode;
    readonly right: CommunityNode;
  }
  | { readonly kind: "sign"; readonly operator: "+" | "-"; readonly operand: CommunityNode }
  /** `[]`. */
  | { readonly kind: "flatten"; readonly operand: CommunityNode }
  /** `left[*].right`; after a slice a text comes through as it is. */
  | {
    readonly kind: "project";
    readonly left: CommunityNode;
    readonly right: CommunityNode;
    readonly ofSlice: boolean;
  }
  /** `left.*.right`. */
  | { readonly kind: "projectValues"; readonly left: CommunityNode; readonly right: CommunityNode }
  /** `left[?condition].right`. */
  | {
    readonly kind: "filter";
    readonly left: CommunityNode;
    readonly right: CommunityNode;
    readonly condition: CommunityNode;
  }
  | { readonly kind: "list"; readonly elements: readonly CommunityNode[] }
  | { readonly kind: "object"; readonly entries: readonly CommunityEntry[] }
  | {
    readonly kind: "call";
    readonly name: string;
    readonly args: readonly CommunityNode[];
    readonly at: number;
  }
  /** `&expression`, an argument that the function applies itself. */
  | { readonly kind: "reference"; readonly expression: CommunityNode; readonly at: number }
  | { readonly kind: "let"; readonly bindings: readonly CommunityEntry[]; readonly body: CommunityNode };

/** A named expression. */
export interface CommunityEntry {
  readonly name: string;
  readonly value: CommunityNode;
}
