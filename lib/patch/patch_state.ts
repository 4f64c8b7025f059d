import { Fault, isFault, isList, type Json, type JsonObject, type StepBudget } from "../json/mod.ts";
import { asContainer, childOf, type Container, type Copies, set } from "./container.ts";
import type { Draft } from "./draft.ts";
import type { PointerParts } from "./pointer_parts.ts";

/**
 * The document between two operations of a JSON patch. It makes containers writable as its draft does, and counts the
 * members that this copies and the elements that then move.
 */
export class PatchState implements Copies {
  readonly draft: Draft<Json>;
  /** The steps that the patch may still take. */
  readonly steps: StepBudget;
  /**
   * The document before the patch, or the last value that replaced the root. The empty key of the root names
   * it, see {@link valueAt}.
   */
  whole: Json;
  /** The bytes that copies have added. */
  copied = 0;

  constructor(draft: Draft<Json>, steps: StepBudget) {
    this.draft = draft;
    this.steps = steps;
    this.whole = draft.resource;
  }

  /** Counts an operation; a fault when the patch has taken more steps than it may. */
  exhaustion(): Fault | undefined {
    return --this.steps.left < 0 ? new Fault("the JSON patch takes too many steps") : undefined;
  }

  /** The map as the patch may write into it. A copy takes a step for each field. */
  writable(map: JsonObject): { [name: string]: Json } {
    const copy = this.draft.writable(map, this.steps);
    if (copy !== map) this.steps.left -= Object.keys(copy).length;
    return copy;
  }

  /** As {@link writable}, for a list. Moving elements takes steps, too. */
  writableList(list: readonly Json[], moved = 0): Json[] {
    const writable = this.draft.writableList(list), copied = writable === list ? 0 : list.length;
    this.steps.left -= Math.trunc((copied + moved) / movedInStep);
    return writable;
  }
}

/** The elements of a list that the runtime copies or moves in the time of one step. */
const movedInStep = 64;

/** Applies one operation. */
export type PatchStep = (state: PatchState) => Fault | undefined;

/**
 * Returns the value at a pointer: `undefined` when its parent is missing, a fault when the parent has no such
 * member. Kyverno parity: an empty last token at the root names the original document; further down its value
 * is null. Pinned by tests/patch/json_patch_test.ts.
 */
export function valueAt(state: PatchState, pointer: PointerParts): Json | undefined | Fault {
  if (pointer.namesNothing) return undefined;
  let container = asContainer(state.draft.resource);
  for (const token of pointer.parents) {
    if (container === undefined) return undefined;
    const child = childOf(container, token);
    container = isFault(child) ? undefined : asContainer(child);
  }
  if (container === undefined) return undefined;
  const value = pointer.last === "" && isList(container) ? undefined : childOf(container, pointer.last);
  if (value !== undefined) return value;
  if (pointer.last === "") return pointer.parents.length === 0 ? state.whole : null;
  return new Fault(`unable to get nonexistent key: ${pointer.last}: missing value`, pointer.last);
}

/** Changes the member of a container that a token names, and returns the new container. */
export type Edit = (container: Container, token: string) => Container | Fault;

/** Applies an edit at a pointer of the document; `undefined` when the path does not exist. */
export function editAt(state: PatchState, pointer: PointerParts, edit: Edit): Json | undefined | Fault {
  if (pointer.namesNothing) return undefined;
  const editBelow = (node: Json, depth: number): Json | undefined | Fault => {
    const container = asContainer(node);
    if (container === undefined) return undefined;
    if (depth === pointer.parents.length) return edit(container, pointer.last);
    const token = pointer.parents[depth]!;
    const child = childOf(container, token);
    if (child === undefined || isFault(child)) return undefined;
    const changed = editBelow(child, depth + 1);
    if (changed === undefined || isFault(changed)) return changed;
    return changed === child ? container : set(container, { token, value: changed }, state);
  };
  return editBelow(state.draft.resource, 0);
}

/** Puts a changed document into the state, unless it is a fault. */
export function withDocument({ draft }: PatchState, document: Json | Fault): Fault | undefined {
  if (isFault(document)) return document;
  draft.resource = document;
  return undefined;
}
