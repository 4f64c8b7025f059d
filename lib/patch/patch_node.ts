import {
  Fault,
  isFault,
  isList,
  isObject,
  type Json,
  type JsonObject,
  setField,
  sortedKeys,
} from "../json/mod.ts";
import { compileMatcher, parseAnchor } from "../pattern/mod.ts";

/** A piece of a patch with its anchors recognised. Nodes are never modified: what a resource decides makes new ones. */
export type PatchNode = PlainNode | MapNode | ListNode;

/** A piece without anchors. */
export interface PlainNode {
  readonly kind: "plain";
  readonly value: Json;
  /** What of it gets into the merge: maps without content do not. */
  readonly kept: Json | undefined;
}

/** A map with anchors in it or below. */
export interface MapNode {
  readonly kind: "map";
  readonly entries: readonly Entry[];
  /** Whether a `<()` anchor is in it or below. */
  readonly global: boolean;
}

/** A list with anchors below. */
export interface ListNode {
  readonly kind: "list";
  readonly items: readonly PatchNode[];
  readonly global: boolean;
}

/** A key of a map. */
export interface Entry {
  /** What the key does: decide as a condition, add where absent, or nothing special. */
  readonly role: "condition" | "global" | "addition" | "field";
  /** The key in the resource: without the parentheses where the role comes from them. */
  readonly key: string;
  readonly node: PatchNode;
  /** Of a condition: whether a value satisfies it. */
  readonly holds: (value: Json) => boolean;
}

/** Patches nested deeper are refused. */
const DEEPEST = 200;

/** Pieces of patches by themselves: a rendered template shares its constant parts with the one rendered before. */
const known = new WeakMap<object, PatchNode>();

/**
 * Recognises the anchors of a patch: `(key)` condition, `<(key)` condition on the whole rule, `+(key)` added where
 * absent. The other anchors mean nothing in a patch and stay part of the key. A fault when it is nested too deeply.
 */
export function compilePatch(patch: Json, depth = 0): PatchNode | Fault {
  if (typeof patch !== "object" || patch === null) return { kind: "plain", value: patch, kept: patch };
  if (depth > DEEPEST) return new Fault(`patch is nested deeper than ${DEEPEST} levels`);
  const earlier = known.get(patch);
  if (earlier !== undefined) return earlier;
  const node = isList(patch) ? compileList(patch, depth) : compileMap(patch as JsonObject, depth);
  if (!isFault(node)) known.set(patch, node);
  return node;
}

function compileList(patch: readonly Json[], depth: number): PatchNode | Fault {
  const items: PatchNode[] = [];
  for (const item of patch) {
    const node = compilePatch(item, depth + 1);
    if (isFault(node)) return node;
    items.push(node);
  }
  if (items.some(isAnchored)) return { kind: "list", items, global: items.some(hasGlobal) };
  return { kind: "plain", value: patch, kept: keptItems(items) };
}

function compileMap(patch: JsonObject, depth: number): PatchNode | Fault {
  const entries: Entry[] = [];
  // The order of Go's JSON, in which the reference sees a patch.
  for (const text of sortedKeys(patch)) {
    const node = compilePatch(patch[text]!, depth + 1);
    if (isFault(node)) return node;
    const entry = entryOf(text, node);
    if (isFault(entry)) return entry;
    entries.push(entry);
  }
  const map = mapOf(entries);
  if (isAnchored(map)) return map;
  return { kind: "plain", value: patch, kept: stripAnchors(map, "keep scalars") };
}

/** A map of these entries. */
export function mapOf(entries: readonly Entry[]): MapNode {
  const global = entries.some(({ role, node }) => role === "global" || hasGlobal(node));
  return { kind: "map", entries, global };
}

/** An entry by its key as written. */
export function entryOf(text: string, node: PatchNode): Entry | Fault {
  const anchor = parseAnchor(text);
  switch (anchor?.kind) {
    case "condition":
    case "global": {
      const holds = conditionOn(node);
      return isFault(holds) ? holds : { role: anchor.kind, key: anchor.key, node, holds };
    }
    case "addition":
      return { role: "addition", key: anchor.key, node, holds: always };
    default:
      return { role: "field", key: text, node, holds: always };
  }
}

const always = () => true;

/** Kyverno parity: a condition on a scalar compares texts, so `true` holds for "true" and null for "null". */
function conditionOn(node: PatchNode): ((value: Json) => boolean) | Fault {
  const pattern = sourceOf(node);
  const matches = compileMatcher(textOfScalar(pattern));
  return isFault(matches) ? matches : (value) => matches(textOfScalar(value));
}

function textOfScalar(value: Json): Json {
  return typeof value === "object" && value !== null ? value : String(value);
}

/** The piece as it is written. */
function sourceOf(node: PatchNode): Json {
  if (node.kind === "plain") return node.value;
  if (node.kind === "list") return node.items.map(sourceOf);
  const source: Record<string, Json> = {};
  for (const { role, key, node: value } of node.entries) {
    setField(source, prefixes[role](key), sourceOf(value));
  }
  return source;
}

const prefixes: Readonly<Record<Entry["role"], (key: string) => string>> = {
  condition: (key) => `(${key})`,
  global: (key) => `<(${key})`,
  addition: (key) => `+(${key})`,
  field: (key) => key,
};

/** Whether a piece has a `()`, `<()` or `+()` key in it. */
export function isAnchored(node: PatchNode): boolean {
  if (node.kind === "plain") return false;
  if (node.kind === "list") return true;
  return node.entries.some((entry) => entry.role !== "field" || isAnchored(entry.node));
}

/** Whether a piece has a `+()` key in it. */
export function hasAddition(node: PatchNode): boolean {
  if (node.kind === "plain") return false;
  if (node.kind === "list") return node.items.some(hasAddition);
  return node.entries.some((entry) => entry.role === "addition" || hasAddition(entry.node));
}

/** Whether a piece has a `<()` key in it. */
export function hasGlobal(node: PatchNode): boolean {
  return node.kind !== "plain" && node.global;
}

/**
 * What is left of a piece for the merge once its conditions are decided: scalar conditions go, a condition with content
 * besides its own conditions stays as that content, list elements with anchors go (copies without have taken their
 * place), and so do maps and lists that become empty.
 */
export function stripAnchors(node: PatchNode, scalars: "keep scalars" | "drop scalars"): Json | undefined {
  if (node.kind === "list") return keptItems(node.items);
  if (node.kind === "plain") {
    const isScalar = typeof node.value !== "object" || node.value === null;
    return isScalar && scalars === "drop scalars" ? undefined : node.kept;
  }
  const kept: Record<string, Json> = {};
  for (const { role, key, node: value } of node.entries) {
    const isCondition = role === "condition" || role === "global";
    const content = stripAnchors(value, isCondition ? "drop scalars" : "keep scalars");
    const name = role === "addition" ? prefixes.addition(key) : key;
    if (content !== undefined && !Object.hasOwn(kept, name)) setField(kept, name, content);
  }
  return Object.keys(kept).length === 0 ? undefined : kept;
}

function keptItems(items: readonly PatchNode[]): Json | undefined {
  const kept: Json[] = [];
  for (const item of items) {
    const content = isAnchored(item) ? undefined : stripAnchors(item, "keep scalars");
    if (content !== undefined) kept.push(content);
  }
  return kept.length === 0 && items.length > 0 ? undefined : kept;
}

/** The content of a map for the merge, with one field set; `undefined` when there is nothing but anchors in it. */
export function namedContent(node: PatchNode, name: Json): JsonObject | undefined {
  const content = stripAnchors(node, "drop scalars");
  return isObject(content) ? { ...content, name } : undefined;
}
