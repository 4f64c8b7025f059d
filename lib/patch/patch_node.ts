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
interface NodeFields {
  /**
   * The part of the patch that the merge gets after the conditions are decided. It lacks scalar conditions,
   * list elements with anchors (copies without anchors replace them), and maps and lists that become empty. Of
   * a condition on a map or list it has the `kept` part of that map or list.
   */
  readonly kept: Json | undefined;
  /** The number of nodes in it, itself included. */
  readonly size: number;
}

/** A node without anchors. */
export interface PlainPatch extends NodeFields {
  readonly kind: "plain";
  readonly value: Json;
}

/** A map with anchors among its keys or below. */
export interface MapPatch extends NodeFields {
  readonly kind: "map";
  readonly entries: readonly PatchEntry[];
  /** Whether the map itself has a `()` or `<()` key, and whether it has a `+()` key. */
  readonly hasConditions: boolean;
  readonly hasAdditions: boolean;
  /** Whether it has a `()`, `<()` or `+()` key, itself or below. */
  readonly anchored: boolean;
  /** Whether it has a `+()` key, itself or below. */
  readonly adds: boolean;
  /** Whether it has a `<()` key, itself or below. */
  readonly global: boolean;
}

/** A list with anchors below. */
export interface ListPatch extends NodeFields {
  readonly kind: "list";
  readonly items: readonly PatchNode[];
  readonly adds: boolean;
  readonly global: boolean;
}

/** A key of a map. */
export interface PatchEntry {
  /** The role of the key: a condition, an addition where the key is absent, or a plain field. */
  readonly role: "condition" | "global" | "addition" | "field";
  /** The key in the resource; for conditions and additions it is the key without the anchor. */
  readonly key: string;
  readonly node: PatchNode;
  /** For a condition: whether a value satisfies it. */
  readonly holds: (value: Json) => boolean;
  /**
   * For an addition: the entry that replaces it where the key is absent; not set when that entry is another
   * addition.
   */
  readonly added?: PatchEntry | Fault;
}

/** The deepest nesting of a patch; a deeper one is a fault. */
const mostLevels = 200;

/**
 * Compiled nodes by the value that they come from. Renderings of one template share its constant parts, which
 * therefore compile once. A patch with one variable and 30 constant elements takes 9 % less with them
 * (tests/bench/patch_bench.ts, "a rendered patch").
 */
export type PatchNodes = WeakMap<object, PatchNode>;

/**
 * Parses the anchors of a patch: `(key)` is a condition, `<(key)` a condition on the whole rule, `+(key)` is added
 * where the key is absent. The other anchors have no meaning in a patch and stay part of the key. Returns a fault
 * when the patch is nested too deeply.
 */
export function compilePatch(patch: Json, nodes?: PatchNodes, depth = 0): PatchNode | Fault {
  if (typeof patch !== "object" || patch === null) return plainOf(patch, patch);
  if (depth > mostLevels) return new Fault(`patch is nested deeper than ${mostLevels} levels`);
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

/** Makes a node without anchors. `kept` is the part of it that the merge gets. */
export function plainOf(value: Json, kept: Json | undefined): PlainPatch {
  return { kind: "plain", value, kept, size: 1 };
}

/** Makes a list of these items. */
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

/** Makes a map of these entries. */
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

/**
 * Returns the part of a whole patch that the merge gets.
 *
 * Kyverno parity: at the top, a condition with content keeps its anchor, so that its content is about a key of that
 * very name. Pinned by "a condition at the top changes nothing below its key".
 */
export function wholeContent(patch: PatchNode): JsonObject {
  if (patch.kind !== "map" || !patch.hasConditions) return isObject(patch.kept) ? patch.kept : {};
  const content: Record<string, Json> = {};
  for (const { role, key, node } of patch.entries) {
    const value = role === "condition" || role === "global" ? contentOf(node) : node.kept;
    if (value !== undefined) setField(content, prefixes[role](key), value);
  }
  return content;
}

/** Returns the content that a condition leaves for the merge; a scalar is only a pattern and leaves none. */
function contentOf(node: PatchNode): Json | undefined {
  return typeof node.kept === "object" && node.kept !== null ? node.kept : undefined;
}

/** Makes an entry from its key as the patch has it. */
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

/** Makes an entry of an ordinary key. */
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
 * Returns the conditions on scalars of a map, if an element of the resource leaves the map as it is when one of
 * them does not hold. Returns none for any other node.
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

/** Returns the node as the patch has it. */
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

/** Whether a node has a `()`, `<()` or `+()` key in it. */
export function isAnchored(node: PatchNode): boolean {
  return node.kind === "list" || (node.kind === "map" && node.anchored);
}

/** Whether a node has a `+()` key in it. */
export function hasAddition(node: PatchNode): boolean {
  return node.kind !== "plain" && node.adds;
}

/** Whether a node has a `<()` key in it. */
export function hasGlobal(node: PatchNode): boolean {
  return node.kind !== "plain" && node.global;
}

/**
 * Returns the content of a map for the merge, with the given name; `undefined` when the map has nothing but
 * anchors.
 */
export function namedContent({ kept }: PatchNode, name: Json): JsonObject | undefined {
  return isObject(kept) ? { ...kept, name } : undefined;
}
