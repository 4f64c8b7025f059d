import { isList, isObject, type Json } from "../json/mod.ts";
import type { PathStep } from "./mismatch.ts";
import type { Compiler, ListNode } from "./node.ts";

/**
 * Compiles a list. Its first element decides the meaning: every element of the resource's list must match a map or a
 * scalar; with a list as first element, the two lists are compared index by index. Kyverno parity: elements after a
 * map or scalar are ignored. Pinned by "further maps of the pattern have no effect".
 */
export function compileList(
  compiler: Compiler,
  pattern: readonly Json[],
  path: readonly PathStep[],
): ListNode {
  const items = pattern.map((item, index) => compiler.node(item, [...path, index], "elsewhere"));
  return {
    kind: "list",
    pattern,
    items,
    means: meaningOf(pattern),
    fill: items.some(({ fill }) => fill !== undefined)
      ? (values) => items.map(({ fill }, index) => fill === undefined ? pattern[index]! : fill(values))
      : undefined,
    anchored: items.some((item) => item.anchored),
  };
}

function meaningOf([first]: readonly Json[]): ListNode["means"] {
  if (first === undefined) return "nothing";
  if (isList(first)) return "by index";
  return isObject(first) ? "every element" : "every scalar";
}
