import { isList, isObject, type Json } from "../json/mod.ts";
import type { AnchorKind } from "./anchor.ts";
import { type Mismatch, mismatch, mismatchOf } from "./mismatch.ts";
import type { Node, Walk } from "./node.ts";

/** Compares what a resource has under a key, `undefined` when it has no such key. */
export type KeyCheck = (value: Json | undefined, walk: Walk) => Mismatch | undefined;

/** A value of a pattern's map, before it is known what its key asks for. */
export interface KeyPattern {
  readonly pattern: Json;
  readonly node: Node;
}

/** What each kind of key asks for. An addition anchor means something in patches only; here it is a plain key. */
export const keyChecks: Readonly<Record<AnchorKind | "plain", (value: KeyPattern) => KeyCheck>> = {
  plain: ({ pattern, node }) => {
    if (node.template !== undefined) return plainTemplate(node, node.template);
    return pattern === "*" ? present : node.check;
  },
  addition: (value) => keyChecks.plain(value),

  condition: ({ pattern, node }) => (value, walk) => {
    if (value === undefined) return mismatch("condition missing", pattern, undefined);
    const found = node.check(value, walk);
    return found && mismatchOf("condition", [found]);
  },

  global: ({ node }) => (value, walk) => {
    // Kyverno parity: an absent key satisfies a global anchor, though it fails a condition.
    if (value === undefined) return undefined;
    const found = node.check(value, walk);
    return found && mismatchOf("global", [found]);
  },

  equality: ({ node: { check } }) => (value, walk) => value === undefined ? undefined : check(value, walk),

  negation: () => (value) => value === undefined ? undefined : mismatch("forbidden", undefined, value),

  existence: (value) => {
    const check = existence(value);
    return (list, walk) => list === undefined ? undefined : check(list, walk);
  },
};

/** The pattern `*` alone: any value that is there, maps and lists too. */
const present: KeyCheck = (value) =>
  value === undefined || value === null ? mismatch("missing", "*", value) : undefined;

function plainTemplate({ check }: Node, template: number): KeyCheck {
  return (value, walk) => walk.filled[template]!.value === "*" ? present(value, walk) : check(value, walk);
}

/** Each map of the pattern's list must agree with some element of the resource's list. */
function existence({ pattern, node }: KeyPattern): Node["check"] {
  if (!isList(pattern)) {
    return (value, walk) => {
      if (!isList(value)) return mismatch("existence of a non-list", pattern, value);
      const given = node.template === undefined ? pattern : walk.filled[node.template]!.value;
      return mismatch("existence pattern", given, value);
    };
  }
  const wanted = pattern.map((item, index) => ({ item, node: node.items[index]! }));
  return (value, walk) => {
    if (!isList(value)) return mismatch("existence of a non-list", pattern, value);
    for (const { item, node } of wanted) {
      if (!isObject(item)) return mismatch("existence element", pattern, value);
      if (!value.some((element) => node.check(element, walk) === undefined)) {
        return mismatch("none exists", item, value);
      }
    }
    return undefined;
  };
}
