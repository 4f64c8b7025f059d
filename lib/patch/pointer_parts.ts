import { type Fault, isFault, type Json, parsePointer } from "../json/mod.ts";
import { asContainer, childOf, type Container, set } from "./container.ts";
import type { Draft } from "./draft.ts";

/** The most tokens of a pointer: no document is deeper, and no patch may make one that is. */
const MOST_TOKENS = 500;

/** A parsed pointer. */
export interface PointerParts {
  readonly text: string;
  /** The tokens on the way to the container. */
  readonly parents: readonly string[];
  /** The token in the container; empty for the whole document. */
  readonly last: string;
  /** Whether the pointer cannot name a value: it has text but no slash, or too many tokens. */
  readonly nowhere: boolean;
}

/** Changes the member of a container that a token names, and returns the new container. */
export type Edit = (container: Container, token: string) => Container | Fault;

/** Parses a pointer. */
export function pointerParts(text: string): PointerParts {
  // Kyverno parity: text before the first slash is ignored. Pinned by "text before the first slash is ignored".
  const start = text.indexOf("/"), tokens = start < 0 ? [] : parsePointer(text.slice(start));
  const nowhere = (tokens.length === 0 && text !== "") || tokens.length > MOST_TOKENS;
  return { text, parents: tokens.slice(0, -1), last: tokens.at(-1) ?? "", nowhere };
}

/** Applies an edit at a pointer of a draft; `undefined` when the path does not exist. */
export function editAt(draft: Draft<Json>, pointer: PointerParts, edit: Edit): Json | undefined | Fault {
  if (pointer.nowhere) return undefined;
  const down = (node: Json, depth: number): Json | undefined | Fault => {
    const container = asContainer(node);
    if (container === undefined) return undefined;
    if (depth === pointer.parents.length) return edit(container, pointer.last);
    const token = pointer.parents[depth]!;
    const child = childOf(container, token);
    if (child === undefined || isFault(child)) return undefined;
    const changed = down(child, depth + 1);
    if (changed === undefined || isFault(changed)) return changed;
    return changed === child ? container : set(container, { token, value: changed }, draft);
  };
  return down(draft.resource, 0);
}
