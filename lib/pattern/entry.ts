import { compareBytes, field, isInherited, isString, type Json, type JsonObject } from "../json/mod.ts";
import { compileWildcard, hasWildcard } from "../kube/mod.ts";
import type { Anchor, AnchorKind } from "./anchor.ts";
import { type KeyCheck, keyChecks } from "./key_check.ts";
import { type Mismatch, under } from "./mismatch.ts";
import type { Node, Walk } from "./node.ts";

/** A key of a pattern's map with its value. */
export interface EntryPattern {
  /** The key as written. */
  readonly text: string;
  readonly anchor: Anchor | undefined;
  readonly pattern: Json;
  readonly node: Node;
  /** Whether `*` and `?` in the key choose keys of the resource: only among labels and annotations. */
  readonly wildcards: boolean;
}

/** A key of a pattern's map, ready to be compared. */
export interface Entry {
  readonly text: string;
  readonly kind: AnchorKind | "plain";
  /** Deciding keys run first and tell whether the map applies at all. */
  readonly phase: "deciding" | "rest";
  /** Whether the value holds an anchored key. */
  readonly nested: boolean;
  /** Whether the key or its value is anchored. */
  readonly anchored: boolean;
  readonly check: (resource: JsonObject, walk: Walk) => Mismatch | undefined;
  /** Whether the resource has the key. */
  readonly isIn: (resource: JsonObject) => boolean;
}

/** Compiles a key with its value. */
export function compileEntry({ text, anchor, pattern, node, wildcards }: EntryPattern): Entry {
  const kind = anchor?.kind ?? "plain";
  const isAnchor = anchor !== undefined && anchor.kind !== "addition";
  const key = isAnchor ? anchor.key : text;
  const check = keyChecks[kind]({ pattern, node });
  const deciding = isAnchor && anchor.kind !== "global";
  const keyed = wildcards && hasWildcard(text)
    ? wildcardKey(kind, key, check)
    : { check: fixedKey(key, check), isIn: (resource: JsonObject) => Object.hasOwn(resource, key) };
  return {
    text,
    kind,
    phase: deciding ? "deciding" : "rest",
    nested: node.anchored,
    anchored: isAnchor || node.anchored,
    ...keyed,
  };
}

type Keyed = Pick<Entry, "check" | "isIn">;

function fixedKey(key: string, check: KeyCheck): Entry["check"] {
  if (isInherited(key)) return (resource, walk) => compare(check, { value: field(resource, key), key }, walk);
  return (resource, walk) => {
    const found = check(resource[key], walk);
    return found && under(key, found);
  };
}

function compare(
  check: KeyCheck,
  { value, key }: { readonly value: Json | undefined; readonly key: string },
  walk: Walk,
): Mismatch | undefined {
  const found = check(value, walk);
  return found && under(key, found);
}

/**
 * A key with wildcards stands for the keys of the resource that it matches, or for itself when there are none.
 * Kyverno compares one of them, picked at random; of its possible answers this takes the strictest: a condition holds
 * if any of the keys satisfies it, and everything else must hold for each of them (`each of several labels must agree`).
 */
function wildcardKey(kind: Entry["kind"], key: string, check: KeyCheck): Keyed {
  const matches = compileWildcard(key);
  const chosen = (resource: JsonObject) =>
    Object.keys(resource).filter((name) => isString(resource[name]) && matches(name)).sort(compareBytes);
  const anyIsEnough = kind === "condition" || kind === "global";
  return {
    isIn: (resource) => chosen(resource).length > 0,
    check: (resource, walk) => {
      const keys = chosen(resource);
      if (keys.length === 0) return compare(check, { value: field(resource, key), key }, walk);
      let first: Mismatch | undefined;
      for (const name of keys) {
        const found = compare(check, { value: resource[name], key: name }, walk);
        if (anyIsEnough ? found === undefined : found !== undefined) return found;
        first ??= found;
      }
      return first;
    },
  };
}
