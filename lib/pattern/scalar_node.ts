import type { Json } from "../json/mod.ts";
import type { ScalarNode, TemplateNode } from "./node.ts";
import { compileScalar } from "./scalar.ts";

/** Compiles a scalar. */
export function scalarNode(pattern: Json): ScalarNode {
  return { kind: "scalar", pattern, test: compileScalar(pattern), fill: () => pattern, anchored: false };
}

/** Makes the node of a template from its number among the pattern's templates. */
export function templateNode(template: number): TemplateNode {
  return { kind: "template", template, fill: (values) => values[template]!, anchored: false };
}
