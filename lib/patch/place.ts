import { type Fault, isFault, type Json } from "../json/mod.ts";
import { asContainer, childOf, type Container, set } from "./container.ts";
import type { Draft } from "./draft.ts";

/** Pointers with more tokens lead nowhere: no document is that deep, and none shall become so. */
const MOST_TOKENS = 500;

/** A pointer, taken apart. */
export interface PointerParts {
  readonly text: string;
  /** The tokens on the way to the container. */
  readonly parents: readonly string[];
  /** The token in the container; empty for the whole document. */
  readonly last: string;
  /** Whether it is no place at all: text without a slash, or far too many tokens. */
  readonly nowhere: boolean;
}

/** How a place is changed: given the container and the last token, the container afterwards. */
export type Edit = (container: Container, token: string) => Container | Fault;

/** Takes a pointer apart. */
export function pointerParts(text: string): PointerParts {
  // Kyverno parity: what stands before the first slash is ignored.
  const tokens = text.split("/").slice(1).map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
  const nowhere = (tokens.length === 0 && text !== "") || tokens.length > MOST_TOKENS;
  return { text, parents: tokens.slice(0, -1), last: tokens.at(-1) ?? "", nowhere };
}

/** Rebuilds the way down to a place of a draft around an edit; `undefined` when the way is missing. */
export function editAt(draft: Draft<Json>, place: PointerParts, edit: Edit): Json | undefined | Fault {
  if (place.nowhere) return undefined;
  const down = (node: Json, depth: number): Json | undefined | Fault => {
    const container = asContainer(node);
    if (container === undefined) return undefined;
    if (depth === place.parents.length) return edit(container, place.last);
    const token = place.parents[depth]!;
    const child = childOf(container, token);
    if (child === undefined || isFault(child)) return undefined;
    const changed = down(child, depth + 1);
    if (changed === undefined || isFault(changed)) return changed;
    return changed === child ? container : set(container, { token, value: changed }, draft);
  };
  return down(draft.resource, 0);
}
