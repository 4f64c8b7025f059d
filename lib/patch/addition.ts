import { Fault, isFault, isList, type Json } from "../json/mod.ts";
import {
  asContainer,
  because,
  childOf,
  type Container,
  insert,
  noSuchIndex,
  parseIndex,
  set,
} from "./container.ts";
import { type PatchState, type PatchStep, withDocument } from "./patch_state.ts";
import type { PointerParts } from "./pointer_parts.ts";

/** `add` pads lists up to this length: a patch that names element 1000000000 ends in a fault. */
const longestPadding = 10_000;

/** Plans `add`: it makes missing parents, and pads lists. */
export function addition(pointer: PointerParts, value: Json): PatchStep {
  const missing = new Fault(
    `add operation does not apply: doc is missing path: "${pointer.text}": missing value`,
  );
  const tokens = [...pointer.parents, pointer.last];
  const addAt = (node: Json, depth: number, state: PatchState): Json | Fault => {
    const container = asContainer(node);
    if (container === undefined) return new Fault("invalid state detected");
    const token = tokens[depth]!;
    if (depth === tokens.length - 1) {
      return because(`error in add for path: '${pointer.text}'`, insert(container, { token, value }, state));
    }
    const child = childOf(container, token);
    if (child !== undefined && child !== null && !isFault(child)) {
      const changed = addAt(child, depth + 1, state);
      if (isFault(changed)) return changed;
      return changed === child ? container : set(container, { token, value: changed }, state);
    }
    if (token === "") return missing;
    const parent = newParent(tokens[depth + 1]!);
    if (isFault(parent)) return parent;
    const filled = addAt(parent, depth + 1, state);
    if (isFault(filled)) return filled;
    const added = insert(padded(container, token), { token, value: filled }, state);
    return isFault(added) || token === "-" && isList(container) ? missing : added;
  };
  return (state) =>
    pointer.namesNothing ? missing : withDocument(state, addAt(state.draft.resource, 0, state));
}

/** Makes the container for a missing parent. The next token decides whether it is a list or an object. */
function newParent(next: string): Container | Fault {
  const index = next === "-" ? 0 : parseIndex(next);
  if (index === undefined) return {};
  if (index < -1) {
    return new Fault(
      `Unable to ensure path for negative index other than -1: ${index}: invalid index referenced`,
    );
  }
  return index > longestPadding ? noSuchIndex(index) : new Array<Json>(Math.max(0, index)).fill(null);
}

/** Pads a list with null so that an element can be added at the token's index. */
function padded(container: Container, token: string): Container {
  const index = isList(container) ? parseIndex(token) : undefined;
  if (!isList(container) || index === undefined || index <= container.length || index > longestPadding) {
    return container;
  }
  return [...container, ...new Array<Json>(index - container.length).fill(null)];
}
