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

/**
 * A node of a patch whose anchors are parsed. Nodes are never modified: deciding anchors for a resource makes new
 * nodes.
 */
export type PatchNode = PlainPatch | MapPatch | ListPatch;

/** The fields of all nodes. */
interface Piece {
  /**
   * The part of the patch that the merge gets after the conditions are decided: without scalar conditions, of other
   * conditions their content besides nested conditions, without list elements with anchors (copies without anchors
   * replace them), and without maps or lists that become empty.
   */
  readonly kept: Json | undefined;
  /** How many pieces it is made of. */
  readonly size: number;
}

/** A piece without anchors. */
export interface PlainPatch extends Piece {
  readonly kind: "plain";
  readonly value: Json;
}

/** A map with anchors in it or below. */
export interface MapPatch extends Piece {
  readonly kind: "map";
  readonly entries: readonly PatchEntry[];
  /** Whether a `()` or `<()` key, and whether a `+()` key, is in it itself. */
  readonly hasConditions: boolean;
  readonly hasAdditions: boolean;
  /** Whether a `()`, `<()` or `+()` key is in it or below. */
  readonly anchored: boolean;
  /** Whether a `+()` key is in it or below. */
  readonly adds: boolean;
  /** Whether a `<()` key is in it or below. */
  readonly global: boolean;
}

/** A list with anchors below. */
export interface ListPatch extends Piece {
  readonly kind: "list";
  readonly items: readonly PatchNode[];
  readonly adds: boolean;
  readonly global: boolean;
}

/** A key of a map. */
export interface PatchEntry {
  /** The role of the key: a condition, an addition where the key is absent, or a plain field. */
  readonly role: "condition" | "global" | "addition" | "field";
  /** The key in the resource: without the parentheses where the role comes from them. */
  readonly key: string;
  readonly node: PatchNode;
  /** For a condition: whether a value satisfies it. */
  readonly holds: (value: Json) => boolean;
  /** For an addition: the entry that it becomes where the key is absent, unless that is another addition. */
  readonly added?: PatchEntry | Fault;
}

/** Patches nested deeper are refused. */
const DEEPEST = 200;

/**
 * Compiled nodes by the value they come from: renderings of one template share its constant parts. A patch with one variable
 * and 30 constant elements takes 9 % less with them (tests/bench/patch_bench.ts, "a rendered patch").
 */
export type PatchNodes = WeakMap<object, PatchNode>;

/**
 * Parses the anchors of a patch: `(key)` is a condition, `<(key)` a condition on the whole rule, `+(key)` is added
 * where the key is absent. The other anchors have no meaning in a patch and stay part of the key. Returns a fault
 * when the patch is nested too deeply.
 */
export function compilePatch(patch: Json, nodes?: PatchNodes, depth = 0): PatchNode | Fault {
  if (typeof patch !== "object" || patch === null) return plainOf(patch, patch);
  if (depth > DEEPEST) return new Fault(`patch is nested deeper than ${DEEPEST} levels`);
  const earlier = nodes?.get(patch);
  if (earlier !== undefined) return earlier;
  const node = isList(patch)
    ? compileList(patch, nodes, depth)
    : compileMap(patch as JsonObject, nodes, depth);
  if (!isFault(node)) nodes?.set(patch, node);
  return node;
}

function compileList(
  patch: readonly Json[],
  nodes: PatchNodes | undefined,
  depth: number,
): PatchNode | Fault {
  const items: PatchNode[] = [];
  for (const item of patch) {
    const node = compilePatch(item, nodes, depth + 1);
    if (isFault(node)) return node;
    items.push(node);
  }
  const list = listOf(items);
  return items.some(isAnchored) ? list : plainOf(patch, list.kept);
}

function compileMap(patch: JsonObject, nodes: PatchNodes | undefined, depth: number): PatchNode | Fault {
  const entries: PatchEntry[] = [];
  // Sorted, as Go marshals the keys of a map.
  for (const text of sortedKeys(patch)) {
    const node = compilePatch(patch[text]!, nodes, depth + 1);
    if (isFault(node)) return node;
    const entry = entryOf(text, node);
    if (isFault(entry)) return entry;
    entries.push(entry);
  }
  const map = mapOf(entries);
  return map.anchored ? map : plainOf(patch, map.kept);
}

/** A piece without anchors, of which some gets into the merge. */
export function plainOf(value: Json, kept: Json | undefined): PlainPatch {
  return { kind: "plain", value, kept, size: 1 };
}

/** A list of these items. */
export function listOf(items: readonly PatchNode[]): ListPatch {
  const kept: Json[] = [];
  let size = 1;
  for (const item of items) {
    size += item.size;
    if (item.kept !== undefined && !isAnchored(item)) kept.push(item.kept);
  }
  return {
    kind: "list",
    items,
    kept: kept.length === 0 && items.length > 0 ? undefined : kept,
    size,
    adds: items.some(hasAddition),
    global: items.some(hasGlobal),
  };
}

/** A map of these entries. */
export function mapOf(entries: readonly PatchEntry[]): MapPatch {
  let hasConditions = false, hasAdditions = false, anchored = false, adds = false, global = false, size = 1;
  let kept: Record<string, Json> | undefined;
  for (const { role, key, node } of entries) {
    const isCondition = role === "condition" || role === "global";
    hasConditions ||= isCondition;
    hasAdditions ||= role === "addition";
    anchored ||= role !== "field" || isAnchored(node);
    adds ||= role === "addition" || hasAddition(node);
    global ||= role === "global" || hasGlobal(node);
    size += node.size;
    const content = isCondition ? contentOf(node) : node.kept;
    const name = role === "addition" ? prefixes.addition(key) : key;
    if (content !== undefined && !(kept !== undefined && Object.hasOwn(kept, name))) {
      setField(kept ??= {}, name, content);
    }
  }
  return { kind: "map", entries, kept, size, hasConditions, hasAdditions, anchored, adds, global };
}

/** The content that a condition leaves for the merge; a scalar is only a pattern and leaves none. */
function contentOf(node: PatchNode): Json | undefined {
  return typeof node.kept === "object" && node.kept !== null ? node.kept : undefined;
}

/** An entry by its key as written. */
export function entryOf(text: string, node: PatchNode): PatchEntry | Fault {
  const anchor = parseAnchor(text);
  switch (anchor?.kind) {
    case "condition":
    case "global": {
      const holds = conditionOn(node);
      return isFault(holds) ? holds : { role: anchor.kind, key: anchor.key, node, holds };
    }
    case "addition": {
      const entry: PatchEntry = { role: "addition", key: anchor.key, node, holds: always };
      return parseAnchor(anchor.key)?.kind === "addition"
        ? entry
        : { ...entry, added: entryOf(anchor.key, node) };
    }
    default:
      return fieldEntry(text, node);
  }
}

/** An entry of an ordinary key. */
export function fieldEntry(key: string, node: PatchNode): PatchEntry {
  return { role: "field", key, node, holds: always };
}

const always = () => true;

/**
 * Kyverno parity: a condition on a scalar compares texts, so `true` holds for "true" and null for "null". Pinned by
 * "conditions compare scalars as texts, with operators".
 */
function conditionOn(node: PatchNode): ((value: Json) => boolean) | Fault {
  const pattern = sourceOf(node);
  const matches = compileMatcher(textOfScalar(pattern));
  return isFault(matches) ? matches : (value) => matches(textOfScalar(value));
}

function textOfScalar(value: Json): Json {
  return typeof value === "object" && value !== null ? value : String(value);
}

/** A condition on a scalar: its key, and the text that the value is compared with. */
export interface ScalarCondition {
  readonly key: string;
  readonly text: string;
}

/**
 * The conditions on scalars of a map that an element of the resource leaves as it is unless all of them hold for it; none
 * for any other node.
 */
export function scalarConditions(node: PatchNode): ScalarCondition[] {
  if (node.kind !== "map" || !node.hasConditions || node.hasAdditions) return [];
  const conditions: ScalarCondition[] = [];
  for (const { role, key, node: value } of node.entries) {
    if (role === "global" || role === "condition" && value.kind === "map" && value.hasAdditions) return [];
    if (role !== "condition" || value.kind !== "plain") continue;
    const text = textOfScalar(value.value);
    if (typeof text === "string") conditions.push({ key, text });
  }
  return conditions;
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

const prefixes: Readonly<Record<PatchEntry["role"], (key: string) => string>> = {
  condition: (key) => `(${key})`,
  global: (key) => `<(${key})`,
  addition: (key) => `+(${key})`,
  field: (key) => key,
};

/** Whether a piece has a `()`, `<()` or `+()` key in it. */
export function isAnchored(node: PatchNode): boolean {
  return node.kind === "list" || (node.kind === "map" && node.anchored);
}

/** Whether a piece has a `+()` key in it. */
export function hasAddition(node: PatchNode): boolean {
  return node.kind !== "plain" && node.adds;
}

/** Whether a piece has a `<()` key in it. */
export function hasGlobal(node: PatchNode): boolean {
  return node.kind !== "plain" && node.global;
}

/** The content of a map for the merge, with one field set; `undefined` when there is nothing but anchors in it. */
export function namedContent({ kept }: PatchNode, name: Json): JsonObject | undefined {
  return isObject(kept) ? { ...kept, name } : undefined;
}
