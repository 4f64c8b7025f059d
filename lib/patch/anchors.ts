import { Fault, isFault, isList, isObject, type Json, type JsonObject } from "../json/mod.ts";
import { wrongKind } from "./cell.ts";
import {
  compilePatch,
  entryOf,
  fieldEntry,
  hasAddition,
  hasGlobal,
  isAnchored,
  listOf,
  type ListPatch,
  mapOf,
  type MapPatch,
  namedContent,
  type PatchEntry,
  type PatchNode,
  plainOf,
} from "./patch_node.ts";

/** A condition that does not hold: one for the map or list element it stands in, or one for the whole rule. */
type Refusal = "condition" | "global";

/**
 * A piece after it has met a resource. It is also there after a refusal: what was decided until then stays decided, and
 * the next resource element meets the piece in that state.
 */
interface Met {
  readonly node: PatchNode;
  readonly refusal?: Refusal | Fault;
}

/** Most elements that one application of a patch makes for the elements of a resource. */
const MOST_COPIES = 20_000;

/**
 * Decides the anchors of a patch for one resource and answers with the patch to merge; it is empty when a condition
 * does not hold.
 *
 * Kyverno parity: see the comments of the single steps; `+()` that is decided for the first element of a list stays so
 * for the following ones.
 */
export function decideAnchors(patch: PatchNode, resource: JsonObject): JsonObject | Fault {
  const { node, refusal } = new Decision().meet(patch, resource);
  if (isFault(refusal)) return new Fault(`failed to preProcess rule: ${refusal.message}`);
  return refusal === undefined && isObject(node.kept) ? node.kept : {};
}

class Decision {
  #copies = 0;

  meet(node: PatchNode, resource: Json | undefined): Met {
    switch (node.kind) {
      case "plain":
        return { node };
      case "map":
        return this.#meetMap(node, resource);
      case "list":
        return this.#meetList(node, resource);
    }
  }

  /** Additions first, then the rule's conditions, then the map's own, then what is below. */
  #meetMap(map: MapPatch, resource: Json | undefined): Met {
    const entries = map.ownAdditions ? resolveAdditions(map.entries, resource) : map.entries;
    if (isFault(entries)) return { node: map, refusal: entries };
    const decided = new Entries(entries);
    if (map.ownConditions) {
      const refusal = checkConditions(decided, resource);
      if (refusal !== undefined) return { node: decided.of(map), refusal };
    }
    for (let index = 0; index < entries.length; index++) {
      const entry = decided.list[index]!;
      if (entry.role !== "field" || entry.node.kind === "plain") continue;
      const { node, refusal } = this.meet(entry.node, member(resource, entry.key));
      if (node !== entry.node) decided.set(index, fieldEntry(entry.key, node));
      if (refusal !== undefined) return { node: decided.of(map), refusal };
    }
    return { node: decided.of(map) };
  }

  /**
   * For each element with anchors, a copy without them for every element of the resource that satisfies its conditions.
   * Copies are told apart by the resource element's name; elements without a name get none, nor do those of a patch
   * element with a `<()` anchor, which only decides whether the rule applies.
   */
  #meetList(list: ListPatch, resource: Json | undefined): Met {
    if (!startsWithMap(list)) return { node: list };
    if (resource !== undefined && resource !== null && !isList(resource)) {
      return { node: list, refusal: wrongKind("SequenceNode", resource) };
    }
    const copies: PatchNode[] = [];
    for (const item of list.items) {
      if (!isAnchored(item)) continue;
      const refusal = this.#meetElements(item, resource, copies);
      if (refusal !== undefined) return { node: withItems(list, copies), refusal };
    }
    return { node: withItems(list, copies) };
  }

  #meetElements(
    item: PatchNode,
    elements: readonly Json[] | null | undefined,
    copies: PatchNode[],
  ): Refusal | Fault | undefined {
    // Kyverno parity: without the list nothing is added, but a rule's condition inside cannot hold.
    if (elements === undefined) {
      const { refusal } = this.meet(item, undefined);
      return refusal === "condition" ? undefined : refusal;
    }
    let current = item, passed = false, refused = false;
    for (const element of elements ?? []) {
      const { node, refusal } = this.meet(current, element);
      current = node;
      if (isFault(refusal)) return refusal;
      if (refusal === "global") refused = true;
      if (refusal !== undefined) continue;
      if (hasGlobal(item)) {
        passed = true;
        continue;
      }
      const copy = this.#copyFor(element, current);
      if (isFault(copy)) return copy;
      if (copy !== undefined) copies.push(copy);
    }
    return refused && !passed ? "global" : undefined;
  }

  #copyFor(element: Json, item: PatchNode): PatchNode | Fault | undefined {
    const name = member(element, "name");
    if (name === undefined || name === null) return undefined;
    if (typeof name === "object" && Object.keys(name).length === 0) return undefined;
    const content = namedContent(item, name);
    if (content === undefined) return undefined;
    this.#copies += item.size;
    if (this.#copies > MOST_COPIES) return new Fault(`the patch grows beyond ${MOST_COPIES} values`);
    return hasAddition(item) ? compilePatch(content) : plainOf(content, content);
  }
}

const roles = ["global", "condition"] as const;

function member(resource: Json | undefined, key: string): Json | undefined {
  return isObject(resource) && Object.hasOwn(resource, key) ? resource[key] : undefined;
}

function startsWithMap({ items: [first] }: ListPatch): boolean {
  return first !== undefined && (first.kind === "map" || (first.kind === "plain" && isObject(first.value)));
}

function withItems(list: ListPatch, copies: readonly PatchNode[]): ListPatch {
  return copies.length === 0 ? list : listOf([...list.items, ...copies]);
}

/** The entries of a map while a resource decides them: copied when the first one changes. */
class Entries {
  list: readonly PatchEntry[];
  #own: PatchEntry[] | undefined;

  constructor(list: readonly PatchEntry[]) {
    this.list = list;
  }

  set(index: number, entry: PatchEntry): void {
    if (entry === this.list[index]) return;
    if (this.#own === undefined) this.list = this.#own = [...this.list];
    this.#own[index] = entry;
  }

  /** The map with these entries. */
  of(map: MapPatch): MapPatch {
    return this.list === map.entries ? map : mapOf(this.list);
  }
}

/** `+(key)`: dropped where the resource has the key, even with null, otherwise an ordinary key. */
function resolveAdditions(
  entries: readonly PatchEntry[],
  resource: Json | undefined,
): readonly PatchEntry[] | Fault {
  const resolved: PatchEntry[] = [];
  for (const entry of entries) {
    if (!isAddition(entry)) resolved.push(entry);
    else if (member(resource, entry.key) === undefined) {
      const added = entry.added ?? entryOf(entry.key, entry.node);
      if (isFault(added)) return added;
      resolved.push(added);
    }
  }
  return resolved;
}

function isAddition({ role }: PatchEntry): boolean {
  return role === "addition";
}

/** Checks a map's own conditions, those for the whole rule first. */
function checkConditions(entries: Entries, resource: Json | undefined): Refusal | Fault | undefined {
  for (const role of roles) {
    for (let index = 0; index < entries.list.length; index++) {
      const entry = entries.list[index]!;
      if (entry.role !== role) continue;
      const checked = checkCondition(entry, resource);
      if (checked === "refused") return role;
      if (isFault(checked)) return checked;
      entries.set(index, checked);
    }
  }
  return undefined;
}

/**
 * Checks a condition; the key must be there. Kyverno parity: a condition with `+()` keys directly inside only decides
 * those and counts as satisfied; the next element meets it as an ordinary condition.
 */
function checkCondition(entry: PatchEntry, resource: Json | undefined): PatchEntry | "refused" | Fault {
  const value = member(resource, entry.key);
  if (value === undefined) return "refused";
  const { node } = entry;
  if (node.kind !== "map" || !node.ownAdditions) return entry.holds(value) ? entry : "refused";
  const resolved = resolveAdditions(node.entries, value);
  if (isFault(resolved)) return resolved;
  return entryOf(entry.role === "global" ? `<(${entry.key})` : `(${entry.key})`, mapOf(resolved));
}
