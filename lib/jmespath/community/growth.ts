import type { CommunityNode } from "./tree.ts";

/** The most times that the input can occur in the values of `$names`; 1 for names from outside. */
type Names = ReadonlyMap<string, number>;

/**
 * How many times the input can occur in an expression's result, at most. `[@, @] | [@, @] | …` doubles it at each step:
 * in memory that is little, since lists are shared, but writing or comparing the result walks all of it.
 */
export function growth(node: CommunityNode, names: Names = new Map()): number {
  const of = (part: CommunityNode) => growth(part, names);
  switch (node.kind) {
    case "current":
    case "root":
    case "literal":
    case "field":
    case "index":
    case "slice":
    case "not":
    case "comparison":
    case "arithmetic":
    case "sign":
      return 1;
    case "variable":
      return names.get(node.name) ?? 1;
    case "sub":
    case "pipe":
    case "project":
    case "projectValues":
    case "filter":
      return of(node.left) * of(node.right);
    case "or":
    case "and":
      return Math.max(of(node.left), of(node.right));
    case "flatten":
      return of(node.operand);
    case "reference":
      return of(node.expression);
    case "list":
      return total(node.elements, names);
    case "object":
      return total(node.entries.map(({ value }) => value), names);
    case "call":
      return callGrowth(node.args, names);
    case "let": {
      const bound = node.bindings.map(({ name, value }) => [name, of(value)] as const);
      return growth(node.body, new Map([...names, ...bound]));
    }
  }
}

function total(nodes: readonly CommunityNode[], names: Names): number {
  return nodes.reduce((sum, node) => sum + growth(node, names), 0);
}

/** A function may keep all its arguments, and an expression applied to each element multiplies them. */
function callGrowth(args: readonly CommunityNode[], names: Names): number {
  const values = args.filter(({ kind }) => kind !== "reference");
  const references = args.filter(({ kind }) => kind === "reference");
  const kept = Math.max(1, total(values, names));
  return references.reduce((product, node) => product * growth(node, names), kept);
}
