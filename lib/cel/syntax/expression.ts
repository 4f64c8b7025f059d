import type { Value } from "../values/mod.ts";

/**
 * A parsed expression. `offset` is the position of its errors: for operators and calls, that of the operator or
 * parenthesis.
 */
export type CelExpression =
  | Literal
  | Ident
  | Select
  | Index
  | Call
  | Logic
  | ListLiteral
  | MapLiteral
  | StructLiteral
  | Comprehension
  | Bind
  | Broken;

interface Node {
  /** The position in UTF-16 units from the start of the text. */
  readonly offset: number;
}

/** A constant of the text: a number, a text, `true`, `null`. */
export interface Literal extends Node {
  readonly kind: "literal";
  readonly value: Value;
}

/** A variable, or the beginning of a qualified name. */
export interface Ident extends Node {
  readonly kind: "ident";
  /** The name, with a leading dot when it is looked up from the root. */
  readonly name: string;
}

/** `operand.field`, `operand.?field`, and `has(operand.field)`. */
export interface Select extends Node {
  readonly kind: "select";
  readonly operand: CelExpression;
  readonly field: string;
  readonly mode: "value" | "optional" | "presence";
}

/** `operand[index]` and `operand[?index]`. */
export interface Index extends Node {
  readonly kind: "index";
  readonly operand: CelExpression;
  readonly index: CelExpression;
  readonly mode: "value" | "optional";
}

/** A function, a method, or an operator under its CEL name (`_+_`, `!_`, `_?_:_`). */
export interface Call extends Node {
  readonly kind: "call";
  readonly name: string;
  readonly target?: CelExpression;
  readonly args: readonly CelExpression[];
}

/** A chain of `&&` or of `||`. */
export interface Logic extends Node {
  readonly kind: "logic";
  readonly operator: "&&" | "||";
  readonly terms: readonly CelExpression[];
  /** The positions of the operators, one fewer than terms. */
  readonly offsets: readonly number[];
}

/** `[1, 2]` and `[?a]`. */
export interface ListLiteral extends Node {
  readonly kind: "list";
  readonly elements: readonly { readonly value: CelExpression; readonly optional: boolean }[];
}

/** An entry of a map literal: `key: value` and `?key: value`. */
export interface MapEntry {
  readonly key: CelExpression;
  readonly value: CelExpression;
  readonly optional: boolean;
}

/** `{'a': 1}`. */
export interface MapLiteral extends Node {
  readonly kind: "map";
  readonly entries: readonly MapEntry[];
}

/** `Type{field: value}`. */
export interface StructLiteral extends Node {
  readonly kind: "struct";
  readonly type: string;
  readonly fields: readonly {
    readonly name: string;
    readonly offset: number;
    readonly value: CelExpression;
    readonly optional: boolean;
  }[];
}

/** The way in which a comprehension collects its result, named for its macro. */
export type Fold = "all" | "exists" | "existsOne" | "list" | "filter" | "map" | "mapEntry";

/** `range.all(x, …)` and related macros. */
export interface Comprehension extends Node {
  readonly kind: "comprehension";
  readonly fold: Fold;
  readonly range: CelExpression;
  /** One variable (elements, or keys of a map), or two (index or key, and value). */
  readonly variables: readonly [string] | readonly [string, string];
  /** The filter: elements for which it is false are skipped. */
  readonly filter?: CelExpression;
  /** The predicate, or the transformation. */
  readonly body: CelExpression;
}

/** `cel.bind(name, value, body)`: the value is computed when the name is first used, and at most once. */
export interface Bind extends Node {
  readonly kind: "bind";
  readonly name: string;
  readonly value: CelExpression;
  readonly body: CelExpression;
}

/** Replaces text that could not be parsed and has a reported error. */
export interface Broken extends Node {
  readonly kind: "broken";
}

/** The dotted name of an expression such as `a.b.c`; `undefined` for other expressions. */
export function qualifiedName(expression: CelExpression): string | undefined {
  if (expression.kind === "ident") return expression.name;
  if (expression.kind !== "select" || expression.mode !== "value") return undefined;
  const operand = qualifiedName(expression.operand);
  return operand === undefined ? undefined : `${operand}.${expression.field}`;
}

/** The parts of an expression, in the order of the text. */
export function partsOf(expression: CelExpression): readonly CelExpression[] {
  switch (expression.kind) {
    case "literal":
    case "ident":
    case "broken":
      return [];
    case "select":
      return [expression.operand];
    case "index":
      return [expression.operand, expression.index];
    case "call":
      return expression.target === undefined ? expression.args : [expression.target, ...expression.args];
    case "logic":
      return expression.terms;
    case "list":
      return expression.elements.map(({ value }) => value);
    case "map":
      return expression.entries.flatMap(({ key, value }) => [key, value]);
    case "struct":
      return expression.fields.map(({ value }) => value);
    case "comprehension": {
      const { range, filter, body } = expression;
      return filter === undefined ? [range, body] : [range, filter, body];
    }
    case "bind":
      return [expression.value, expression.body];
  }
}
