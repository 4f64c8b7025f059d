import { isList, isObject, type Json } from "../json/mod.ts";
import { isSkip, type Mismatch, mismatch, mismatchOf, type Step, under } from "./mismatch.ts";
import type { Compiler, Node, Walk } from "./node.ts";

/**
 * Compiles a list. Its first element says what it means: a map must agree with every element of the resource's list, a
 * scalar likewise, and with a list first the two lists are compared place by place.
 * Kyverno parity: further elements after a map or scalar count for nothing.
 */
export function compileList(compiler: Compiler, pattern: readonly Json[], path: readonly Step[]): Node {
  const items = pattern.map((item, index) => compiler.node(item, [...path, index], "elsewhere"));
  const compare = comparison(pattern, items);
  return {
    check: (value, walk) => isList(value) ? compare(value, walk) : mismatch("not a list", pattern, value),
    fill: (values) => items.map((item) => item.fill(values)),
    anchored: items.some((item) => item.anchored),
    template: undefined,
    items,
  };
}

type ListCheck = (list: readonly Json[], walk: Walk) => Mismatch | undefined;

function comparison(pattern: readonly Json[], items: readonly Node[]): ListCheck {
  const first = items[0];
  if (first === undefined) return (list) => mismatch("empty pattern", pattern, list);
  if (isList(pattern[0])) return placeByPlace(pattern, items);
  // A scalar node compares a list by itself, element by element.
  return isObject(pattern[0]) ? everyElement(first) : first.check;
}

function everyElement(node: Node): ListCheck {
  return (list, walk) => {
    let skips: Mismatch[] | undefined;
    for (let index = 0; index < list.length; index++) {
      const found = node.check(list[index], walk);
      if (found === undefined) continue;
      if (!isSkip(found)) return under(index, found);
      (skips ??= []).push(under(index, found));
    }
    return skipped(skips, list.length);
  };
}

function placeByPlace(pattern: readonly Json[], items: readonly Node[]): ListCheck {
  return (list, walk) => {
    if (list.length < items.length) return mismatch("too short", pattern, list);
    let skips: Mismatch[] | undefined;
    for (let index = 0; index < items.length; index++) {
      const found = items[index]!.check(list[index], walk);
      if (found === undefined) continue;
      if (!isSkip(found)) return under(index, found);
      (skips ??= []).push(under(index, found));
    }
    return skipped(skips, items.length);
  };
}

/** A list is skipped when its pattern applied to no element. */
function skipped(skips: readonly Mismatch[] | undefined, compared: number): Mismatch | undefined {
  return skips !== undefined && skips.length === compared ? mismatchOf("none applied", skips) : undefined;
}
