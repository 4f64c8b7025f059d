import type { Expression } from "./tree.ts";

/**
 * How many times the input can occur in an expression's result, at most. `[@, @] | [@, @] | …` doubles it at each step:
 * in memory that is little, since lists are shared, but writing or comparing the result walks all of it.
 */
export function growth(node: Expression): number {
  switch (node.kind) {
    case "current":
    case "field":
    case "literal":
    case "index":
    case "slice":
    case "not":
    case "compare":
      return 1;
    case "sub":
    case "pipe":
    case "projection":
    case "filter":
      return growth(node.left) * growth(node.right);
    case "values":
      // The right side also runs on a null for each value.
      return growth(node.left) * growth(node.right) * (node.right.kind === "current" ? 1 : 2);
    case "flatten":
    case "reference":
      return growth(node.of);
    case "or":
    case "and":
      return Math.max(growth(node.left), growth(node.right));
    case "list":
      return total(node.items);
    case "object":
      return total(node.entries.map(({ value }) => value));
    case "call":
      return callGrowth(node.args);
  }
}

function total(nodes: readonly Expression[]): number {
  return nodes.reduce((sum, node) => sum + growth(node), 0);
}

/** A function may keep all its arguments, and an expression applied to each element multiplies them. */
function callGrowth(args: readonly Expression[]): number {
  const values = args.filter(({ kind }) => kind !== "reference");
  const references = args.filter(({ kind }) => kind === "reference");
  return references.reduce((product, node) => product * growth(node), Math.max(1, total(values)));
}
