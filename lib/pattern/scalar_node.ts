import { isList, type Json } from "../json/mod.ts";
import type { ScalarTest } from "./comparison.ts";
import { type Mismatch, mismatch } from "./mismatch.ts";
import type { Node } from "./node.ts";
import { compileScalar } from "./scalar.ts";

/** Compiles a scalar: a value must pass its test, a list must in every element. */
export function scalarNode(pattern: Json): Node {
  const test = compileScalar(pattern);
  return {
    check: (value) => compare(test, pattern, value),
    fill: () => pattern,
    anchored: false,
    template: undefined,
    items: [],
  };
}

/** A scalar that is only known at the request. */
export function templateNode(template: number): Node {
  return {
    check: (value, walk) => {
      const filled = walk.filled[template]!;
      return compare(filled.test, filled.value, value);
    },
    fill: (values) => values[template]!,
    anchored: false,
    template,
    items: [],
  };
}

function compare(test: ScalarTest, pattern: Json, value: Json | undefined): Mismatch | undefined {
  const agrees = isList(value) ? value.every(test) : test(value);
  return agrees ? undefined : mismatch("value", pattern, value);
}
