import { Fault, field, isFault, isList, isObject, type Json, type JsonObject } from "../json/mod.ts";
import { wrongKind } from "./cell.ts";
import type { Draft } from "./draft.ts";
import { checkConditions, Entries, resolveAdditions, type UnmetCondition } from "./map_anchors.ts";
import {
  compilePatch,
  fieldEntry,
  hasAddition,
  hasGlobal,
  isAnchored,
  listOf,
  type ListPatch,
  type MapPatch,
  namedContent,
  type PatchNode,
  plainOf,
  scalarConditions,
  wholeContent,
} from "./patch_node.ts";

/**
 * A node after its anchors were decided for a resource. `node` is set also when a condition does not hold: the
 * decisions until then stay, and the next element of the resource starts from them.
 */
interface DecidedNode {
  readonly node: PatchNode;
  readonly unmet?: UnmetCondition | Fault;
}

/** The decisions about one element of a patch's list, for the elements of the resource in turn. */
interface ListDecision {
  readonly item: PatchNode;
  /** The patch element after the decisions for the resource's elements so far. */
  current: PatchNode;
  /**
   * `passed`: all its conditions held for some element. `failed`: a condition on the whole rule did not hold
   * for some element.
   */
  passed: boolean;
  failed: boolean;
  readonly copies: PatchNode[];
}

/** The most nodes that one application of a patch copies for the elements of a resource. */
const mostCopies = 20_000;

/** The most parts of a patch that one application compares with parts of a resource: about a tenth of a second. */
const mostDecisions = 2_000_000;

/**
 * Decides the anchors of a patch for one resource and returns the patch to merge, which is empty when a
 * condition does not hold.
 *
 * Kyverno parity: a `+()` that is decided for the first element of a list stays decided for the following elements.
 * Pinned by "the decision for the first element holds for the others".
 */
export function decideAnchors(patch: PatchNode, resource: JsonObject, draft?: Draft): JsonObject | Fault {
  const { node, unmet } = new Decision(draft).decide(patch, resource);
  if (isFault(unmet)) return new Fault(`failed to preProcess rule: ${unmet.message}`);
  return unmet === undefined ? wholeContent(node) : {};
}

class Decision {
  readonly #draft: Draft | undefined;
  #copies = 0;
  #decisions = 0;

  /** With a draft, the resource of {@link decide} is the draft's root. */
  constructor(draft: Draft | undefined) {
    this.#draft = draft;
  }

  decide(node: PatchNode, resource: Json | undefined): DecidedNode {
    if (++this.#decisions > mostDecisions) {
      return { node, unmet: new Fault(`more than ${mostDecisions} comparisons with the resource`) };
    }
    switch (node.kind) {
      case "plain":
        return { node };
      case "map":
        return this.#decideMap(node, resource);
      case "list":
        return this.#decideList(node, resource);
    }
  }

  /** Decides additions, then conditions on the whole rule, then the map's conditions, then the nodes below. */
  #decideMap(map: MapPatch, resource: Json | undefined): DecidedNode {
    const entries = map.hasAdditions ? resolveAdditions(map.entries, resource) : map.entries;
    if (isFault(entries)) return { node: map, unmet: entries };
    const decided = new Entries(entries);
    if (map.hasConditions) {
      const unmet = checkConditions(decided, resource);
      if (unmet !== undefined) return { node: decided.of(map), unmet };
    }
    for (let index = 0; index < entries.length; index++) {
      const entry = decided.list[index]!;
      if (entry.role !== "field" || entry.node.kind === "plain") continue;
      const { node, unmet } = this.decide(entry.node, field(resource, entry.key));
      if (node !== entry.node) decided.set(index, fieldEntry(entry.key, node));
      if (unmet !== undefined) return { node: decided.of(map), unmet };
    }
    return { node: decided.of(map) };
  }

  /**
   * Adds copies of each element with anchors: one without anchors for every element of the resource that satisfies its
   * conditions and has a name, which the copy gets. An element with a `<()` anchor only decides whether the rule
   * applies.
   */
  #decideList(list: ListPatch, resource: Json | undefined): DecidedNode {
    if (!startsWithMap(list)) return { node: list };
    if (resource !== undefined && resource !== null && !isList(resource)) {
      this.#draft?.update(); // The message prints the resource.
      return { node: list, unmet: wrongKind("SequenceNode", resource) };
    }
    const copies: PatchNode[] = [];
    for (const item of list.items) {
      if (!isAnchored(item)) continue;
      const unmet = this.#decideElements(item, resource, copies);
      if (unmet !== undefined) return { node: withItems(list, copies), unmet };
    }
    return { node: withItems(list, copies) };
  }

  #decideElements(
    item: PatchNode,
    elements: readonly Json[] | null | undefined,
    copies: PatchNode[],
  ): UnmetCondition | Fault | undefined {
    // Kyverno parity: where the resource lacks the list, the patch adds no elements, and a `<()` condition
    // inside does not hold. Pinned by "a rule's condition in a list that is missing".
    if (elements === undefined) {
      const { unmet } = this.decide(item, undefined);
      return unmet === "condition" ? undefined : unmet;
    }
    const state: ListDecision = { item, current: item, passed: false, failed: false, copies };
    const fault = elements === null ? undefined : this.#decideAll(state, elements);
    return fault ?? (state.failed && !state.passed ? "global" : undefined);
  }

  #decideAll(state: ListDecision, elements: readonly Json[]): Fault | undefined {
    let rest = elements;
    if (this.#draft?.findsElementsOf(elements)) {
      const found = this.#accepted(state.current, elements, this.#draft);
      if (found !== undefined) rest = found;
      else {
        // The decision for the first element may simplify the patch for the others.
        const first = this.#draft.firstOf(elements);
        if (first === undefined) return undefined;
        const fault = this.#decideElement(state, first);
        if (fault !== undefined) return fault;
        rest = this.#accepted(state.current, elements, this.#draft)?.filter((element) => element !== first) ??
          this.#draft.elementsOf(elements).slice(1);
      }
    }
    for (const element of rest) {
      const fault = this.#decideElement(state, element);
      if (fault !== undefined) return fault;
    }
    return undefined;
  }

  /** The elements for which the conditions of a map may hold; `undefined` when the draft cannot find them. */
  #accepted(node: PatchNode, elements: readonly Json[], draft: Draft): readonly Json[] | undefined {
    for (const { key, text } of scalarConditions(node)) {
      const found = draft.listOf(elements, [key])?.accepted(text);
      if (found !== undefined) return found;
      draft.noteList(elements);
    }
    return undefined;
  }

  #decideElement(state: ListDecision, element: Json): Fault | undefined {
    const { node, unmet } = this.decide(state.current, element);
    state.current = node;
    if (isFault(unmet)) return unmet;
    if (unmet === "global") state.failed = true;
    if (unmet !== undefined) return undefined;
    if (hasGlobal(state.item)) {
      state.passed = true;
      return undefined;
    }
    const copy = this.#copyFor(element, node);
    if (isFault(copy)) return copy;
    if (copy !== undefined) state.copies.push(copy);
    return undefined;
  }

  #copyFor(element: Json, item: PatchNode): PatchNode | Fault | undefined {
    const name = field(element, "name");
    if (name === undefined || name === null) return undefined;
    if (typeof name === "object" && Object.keys(name).length === 0) return undefined;
    const content = namedContent(item, name);
    if (content === undefined) return undefined;
    this.#copies += item.size;
    if (this.#copies > mostCopies) return new Fault(`the patch grows beyond ${mostCopies} values`);
    return hasAddition(item) ? compilePatch(content) : plainOf(content, content);
  }
}

function startsWithMap({ items: [first] }: ListPatch): boolean {
  return first !== undefined && (first.kind === "map" || (first.kind === "plain" && isObject(first.value)));
}

function withItems(list: ListPatch, copies: readonly PatchNode[]): ListPatch {
  return copies.length === 0 ? list : listOf([...list.items, ...copies]);
}
