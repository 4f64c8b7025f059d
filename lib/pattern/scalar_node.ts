import type { Json } from "../json/mod.ts";
import type { ScalarNode, TemplateNode } from "./node.ts";
import { compileScalar, costOfScalar } from "./scalar.ts";

/** Compiles a scalar. */
export function scalarNode(pattern: Json): ScalarNode {
  const test = compileScalar(pattern), cost = costOfScalar(pattern);
  return { kind: "scalar", pattern, test, cost, fill: undefined, anchored: false };
}

/** Makes the node of a template from its number among the pattern's templates. */
export function templateNode(template: number): TemplateNode {
  return { kind: "template", template, fill: (values) => values[template]!, anchored: false };
}
