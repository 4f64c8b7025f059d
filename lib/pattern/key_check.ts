import { isList, isObject, type Json, type JsonObject } from "../json/mod.ts";
import type { AnchorKind } from "./anchor.ts";
import { type Mismatch, mismatch, mismatchOf, under } from "./mismatch.ts";
import type { Node, Walk } from "./node.ts";

/** Compares what a resource has under a key. */
export type KeyCheck = (resource: JsonObject, key: string, walk: Walk) => Mismatch | undefined;

/** A value of a pattern's map, before it is known what its key asks for. */
export interface KeyPattern {
  readonly pattern: Json;
  readonly node: Node;
}

/** A key of the resource, if it has it. */
function read(resource: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(resource, key) ? resource[key] : undefined;
}

/** What each kind of key asks for. An addition anchor means something in patches only; here it is a plain key. */
export const keyChecks: Readonly<Record<AnchorKind | "plain", (value: KeyPattern) => KeyCheck>> = {
  plain: ({ pattern, node }) => {
    if (node.template !== undefined) return plainTemplate(node, node.template);
    return pattern === "*" ? present : plain(node);
  },
  addition: (value) => keyChecks.plain(value),

  condition: ({ pattern, node }) => (resource, key, walk) => {
    const value = read(resource, key);
    if (value === undefined) return under(key, mismatch("condition missing", pattern, undefined));
    const found = node.check(value, walk);
    return found && under(key, mismatchOf("condition", [found]));
  },

  global: ({ node }) => (resource, key, walk) => {
    const value = read(resource, key);
    // Kyverno parity: an absent key satisfies a global anchor, though it fails a condition.
    if (value === undefined) return undefined;
    const found = node.check(value, walk);
    return found && under(key, mismatchOf("global", [found]));
  },

  equality: ({ node }) => (resource, key, walk) => {
    const value = read(resource, key);
    if (value === undefined) return undefined;
    const found = node.check(value, walk);
    return found && under(key, found);
  },

  negation: () => (resource, key) =>
    Object.hasOwn(resource, key) ? under(key, mismatch("forbidden", undefined, resource[key])) : undefined,

  existence: (value) => {
    const check = existence(value);
    return (resource, key, walk) => {
      const list = read(resource, key);
      const found = list === undefined ? undefined : check(list, walk);
      return found && under(key, found);
    };
  },
};

function plain(node: Node): KeyCheck {
  return (resource, key, walk) => {
    const found = node.check(read(resource, key), walk);
    return found && under(key, found);
  };
}

/** The pattern `*` alone: any value that is there, maps and lists too. */
const present: KeyCheck = (resource, key) => {
  const value = read(resource, key);
  return value === undefined || value === null ? under(key, mismatch("missing", "*", value)) : undefined;
};

function plainTemplate(node: Node, template: number): KeyCheck {
  const compare = plain(node);
  return (resource, key, walk) =>
    walk.filled[template]!.value === "*" ? present(resource, key, walk) : compare(resource, key, walk);
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
