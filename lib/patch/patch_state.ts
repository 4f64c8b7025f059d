import { Fault, isFault, isList, type Json } from "../json/mod.ts";
import { asContainer, childOf } from "./container.ts";
import type { Draft } from "./draft.ts";
import type { PointerParts } from "./pointer_parts.ts";

/** The document between two operations of a JSON patch. */
export interface PatchState {
  readonly draft: Draft<Json>;
  /**
   * The document before the patch, or the last value that replaced the root. The empty key of the root names
   * it, see {@link valueAt}.
   */
  whole: Json;
  /** The bytes that copies have added. */
  copied: number;
}

/** Applies one operation. */
export type PatchStep = (state: PatchState) => Fault | undefined;

/**
 * Returns the value at a pointer: `undefined` when its parent is missing, a fault when the parent has no such
 * member. Kyverno parity: an empty last token at the root names the original document; further down its value
 * is null. Pinned by tests/patch/json_patch_test.ts.
 */
export function valueAt(state: PatchState, pointer: PointerParts): Json | undefined | Fault {
  if (pointer.nowhere) return undefined;
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

/** Puts a changed document into the state, unless it is a fault. */
export function withDocument({ draft }: PatchState, document: Json | Fault): Fault | undefined {
  if (isFault(document)) return document;
  draft.resource = document;
  return undefined;
}
