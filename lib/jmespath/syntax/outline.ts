import { isList, isObject, type Json, sortedKeys } from "../../json/mod.ts";
import type { ComparisonOperator, Expression } from "./tree.ts";

/** A node of the tree of an expression, under the name that users know from Kyverno. */
export interface TreeItem {
  readonly name: string;
  /** The name or value of the node. */
  readonly value?: string;
  readonly children: readonly TreeItem[];
}

/**
 * The tree of an expression as indented text, one node a line, in the form and with the node names that users know from
 * Kyverno. Groups leave no trace in a tree; the parts of a slice are written as in the expression.
 *
 * ```ts
 * import { outline } from "./outline.ts";
 * import assert from "node:assert/strict";
 * const text = outline({ kind: "not", of: { kind: "field", name: "a" } });
 * assert.equal(text, 'ASTNotExpression {\n  children: {\n    ASTField {\n      value: "a"\n    }\n}\n');
 * ```
 */
export function outline(expression: Expression): string {
  return print(treeOf(expression), "");
}

// Kyverno parity: the brace of the node also closes the brace after `children:`. Pinned by tests/cli/jp_test.ts.
function print({ name, value, children }: TreeItem, indent: string): string {
  return [
    `${indent}${name} {\n`,
    value === undefined ? "" : `${indent}  value: ${value}\n`,
    children.length === 0 ? "" : `${indent}  children: {\n`,
    ...children.map((child) => print(child, `${indent}    `)),
    `${indent}}\n`,
  ].join("");
}

const identity: TreeItem = { name: "ASTIdentity", children: [] };

/** The tree of an expression. */
export function treeOf(expression: Expression): TreeItem {
  switch (expression.kind) {
    case "current":
      return { name: "ASTCurrentNode", children: [] };
    case "literal":
      return { name: "ASTLiteral", value: goSyntax(expression.value), children: [] };
    case "field":
      return { name: "ASTField", value: JSON.stringify(expression.name), children: [] };
    case "index":
    case "slice":
      return indexed(identity, expression);
    case "sub": {
      const { left, right } = expression;
      return right.kind === "index" || right.kind === "slice"
        ? indexed(treeOf(left), right)
        : pairOf("ASTSubexpression", expression);
    }
    case "pipe":
      return pairOf("ASTPipe", expression);
    case "projection":
      return projected("ASTProjection", expression);
    case "values":
      return projected("ASTValueProjection", expression);
    case "filter": {
      const { name, children } = projected("ASTFilterProjection", expression);
      return { name, children: [...children, treeOf(expression.condition)] };
    }
    case "flatten":
      return { name: "ASTFlatten", children: [orIdentity(expression.of)] };
    case "or":
      return pairOf("ASTOrExpression", expression);
    case "and":
      return pairOf("ASTAndExpression", expression);
    case "not":
      return { name: "ASTNotExpression", children: [treeOf(expression.of)] };
    case "compare":
      return { ...pairOf("ASTComparator", expression), value: operators[expression.operator] };
    default:
      return composedOf(expression);
  }
}

/** Nodes that put values together, or call functions. */
function composedOf(
  expression: Extract<Expression, { kind: "list" | "object" | "call" | "reference" }>,
): TreeItem {
  switch (expression.kind) {
    case "list":
      return { name: "ASTMultiSelectList", children: expression.items.map(treeOf) };
    case "object":
      return {
        name: "ASTMultiSelectHash",
        children: expression.entries.map(({ key, value }) => ({
          name: "ASTKeyValPair",
          value: JSON.stringify(key),
          children: [treeOf(value)],
        })),
      };
    case "call": {
      const { name = "", args } = expression;
      return { name: "ASTFunctionExpression", value: JSON.stringify(name), children: args.map(treeOf) };
    }
    case "reference":
      return { name: "ASTExpRef", children: [treeOf(expression.of)] };
  }
}

interface Pair {
  readonly left: Expression;
  readonly right: Expression;
}

function pairOf(name: string, { left, right }: Pair): TreeItem {
  return { name, children: [treeOf(left), treeOf(right)] };
}

function projected(name: string, { left, right }: Pair): TreeItem {
  return { name, children: [orIdentity(left), orIdentity(right)] };
}

/** The node of either side of a projection; `current` when nothing is written there. */
function orIdentity(expression: Expression): TreeItem {
  return expression.kind === "current" ? identity : treeOf(expression);
}

function indexed(left: TreeItem, right: Extract<Expression, { kind: "index" | "slice" }>): TreeItem {
  const index = right.kind === "index" ? { name: "ASTIndex", value: String(right.index), children: [] } : {
    name: "ASTSlice",
    value: [right.start, right.stop, right.step].map((part) => part ?? "").join(":"),
    children: [],
  };
  return { name: "ASTIndexExpression", children: [left, index] };
}

const operators: Readonly<Record<ComparisonOperator, string>> = {
  "==": "tEQ",
  "!=": "tNE",
  "<": "tLT",
  "<=": "tLTE",
  ">": "tGT",
  ">=": "tGTE",
};

/** A value as Go source. */
function goSyntax(value: Json): string {
  if (value === null) return "interface {}(nil)";
  if (isList(value)) return `[]interface {}{${value.map(goSyntax).join(", ")}}`;
  if (isObject(value)) {
    const entries = sortedKeys(value).map((key) => `${JSON.stringify(key)}:${goSyntax(value[key]!)}`);
    return `map[string]interface {}{${entries.join(", ")}}`;
  }
  return JSON.stringify(value);
}
