import { equal, Fault, isFault, isList, isObject, type Json, jsonSize } from "../json/mod.ts";
import {
  asContainer,
  because,
  childOf,
  type Container,
  insert,
  noSuchIndex,
  parseIndex,
  removeMember,
  set,
} from "./container.ts";
import { Draft } from "./draft.ts";
import { type Edit, editAt, type PointerParts, pointerParts } from "./pointer_parts.ts";

/** One operation of a JSON patch (RFC 6902), as the policy has it. */
export type PatchOperation =
  | { readonly op: "add" | "replace"; readonly path: string; readonly value: Json }
  | { readonly op: "test"; readonly path: string; readonly value?: Json }
  | { readonly op: "remove"; readonly path: string }
  | { readonly op: "move" | "copy"; readonly path: string; readonly from: string };

/** A JSON patch whose pointers are already parsed. */
export interface JsonPatch {
  readonly operations: readonly PatchOperation[];
  /**
   * Returns the patched document. The given document is never modified. The result shares with it all values
   * that the patch does not touch, and is the given document itself when nothing changes.
   */
  apply(document: Json): Json | Fault;
  /** Applies the patch to a draft. After a fault the draft must not be used. */
  change(draft: Draft<Json>): Fault | undefined;
}

/** The document between two operations. */
interface State {
  readonly draft: Draft<Json>;
  /**
   * The document before the patch, or the last value that replaced the root. The empty key of the root names
   * it, see {@link read}.
   */
  whole: Json;
  /** The bytes that copies have added. */
  copied: number;
}

type Step = (state: State) => Fault | undefined;

/**
 * The bytes that all copies of a patch may add; the API server bounds its patches alike. A copy shares the
 * value that it copies: twenty copies that each double a list cost nothing to make, but a gigabyte when the
 * document is written.
 */
const MOST_COPIED = 3 * 1024 * 1024;

/** `add` pads lists up to this length: a patch that names element 1000000000 ends in a fault. */
const LONGEST_PADDING = 10_000;

/**
 * Prepares a JSON patch. Kyverno parity: Kyverno sets these options of evanphx/json-patch: indices may be
 * negative, `remove` ignores a missing path, and `add` creates parents (a list when the next token is a number
 * or `-`, otherwise an object). Pinned by tests/patch/json_patch_test.ts.
 *
 * ```ts
 * import { planJsonPatch } from "./json_patch.ts";
 * import assert from "node:assert/strict";
 * const patch = planJsonPatch([{ op: "add", path: "/metadata/labels/app", value: "web" }]);
 * assert.deepEqual(patch.apply({}), { metadata: { labels: { app: "web" } } });
 * ```
 */
export function planJsonPatch(operations: readonly PatchOperation[]): JsonPatch {
  const steps = operations.map(planOperation);
  const change = (draft: Draft<Json>): Fault | undefined => {
    const state: State = { draft, whole: draft.resource, copied: 0 };
    for (const step of steps) {
      const fault = step(state);
      if (fault !== undefined) return fault;
    }
    return undefined;
  };
  return {
    operations,
    change,
    apply: (document) => {
      const draft = new Draft(document);
      return change(draft) ?? (equal(draft.resource, document) ? document : draft.resource);
    },
  };
}

function planOperation(operation: PatchOperation): Step {
  const pointer = pointerParts(operation.path);
  switch (operation.op) {
    case "add":
      return pointer.text === ""
        ? replaceRoot(operation.value, badAddition)
        : addition(pointer, operation.value);
    case "replace":
      return pointer.text === ""
        ? replaceRoot(operation.value, badRoot)
        : replacement(pointer, operation.value);
    case "remove":
      return removal(pointer);
    case "test":
      return comparison(pointer, operation.value ?? null);
    case "move":
      return moving(pointer, pointerParts(operation.from));
    case "copy":
      return copying(pointer, pointerParts(operation.from));
  }
}

function replaceRoot(value: Json, complaint: (value: Json) => Fault): Step {
  const refusal = isObject(value) || isList(value) ? undefined : complaint(value);
  return (state) => {
    if (refusal !== undefined) return refusal;
    state.draft.resource = value;
    state.whole = value;
    return undefined;
  };
}

function badAddition(value: Json): Fault {
  return value === null ? new Fault("invalid value, expected object") : new Fault(
    `json: cannot unmarshal ${jsonKind(value)} into Go value of type map[string]*jsonpatch.lazyNode`,
  );
}

function badRoot(): Fault {
  return new Fault("replace operation value must be object or array: %!w(<nil>)");
}

/** Returns the value's kind in the words of Go's JSON decoder. */
export function jsonKind(value: Json): string {
  if (isList(value)) return "array";
  return typeof value === "boolean" ? "bool" : typeof value;
}

function addition(pointer: PointerParts, value: Json): Step {
  const missing = new Fault(
    `add operation does not apply: doc is missing path: "${pointer.text}": missing value`,
  );
  const tokens = [...pointer.parents, pointer.last];
  const addAt = (node: Json, depth: number, draft: Draft<Json>): Json | Fault => {
    const container = asContainer(node);
    if (container === undefined) return new Fault("invalid state detected");
    const token = tokens[depth]!;
    if (depth === tokens.length - 1) {
      return because(`error in add for path: '${pointer.text}'`, insert(container, { token, value }, draft));
    }
    const child = childOf(container, token);
    if (child !== undefined && child !== null && !isFault(child)) {
      const changed = addAt(child, depth + 1, draft);
      if (isFault(changed)) return changed;
      return changed === child ? container : set(container, { token, value: changed }, draft);
    }
    if (token === "") return missing;
    const parent = newParent(tokens[depth + 1]!);
    if (isFault(parent)) return parent;
    const filled = addAt(parent, depth + 1, draft);
    if (isFault(filled)) return filled;
    const added = insert(padded(container, token), { token, value: filled }, draft);
    return isFault(added) || token === "-" ? missing : added;
  };
  return (state) =>
    pointer.nowhere ? missing : withDocument(state, addAt(state.draft.resource, 0, state.draft));
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
  return index > LONGEST_PADDING ? noSuchIndex(index) : new Array<Json>(Math.max(0, index)).fill(null);
}

/** Pads a list with null so that an element can be added at the token's index. */
function padded(container: Container, token: string): Container {
  const index = isList(container) ? parseIndex(token) : undefined;
  if (!isList(container) || index === undefined || index <= container.length || index > LONGEST_PADDING) {
    return container;
  }
  return [...container, ...new Array<Json>(index - container.length).fill(null)];
}

function replacement(pointer: PointerParts, value: Json): Step {
  const missingPath = new Fault(
    `replace operation does not apply: doc is missing path: ${pointer.text}: missing value`,
  );
  const missingKey = new Fault(
    `replace operation does not apply: doc is missing key: ${pointer.text}: missing value`,
  );
  const edit = (draft: Draft<Json>): Edit => (container, token) => {
    // Kyverno parity: an empty last token names the container itself, so the key "" always exists. Pinned by "add sets
    // the empty key".
    const child = token === "" ? null : childOf(container, token);
    if (child === undefined || isFault(child)) return missingKey;
    return because(`error in remove for path: '${pointer.text}'`, set(container, { token, value }, draft));
  };
  return (state) => withDocument(state, editAt(state.draft, pointer, edit(state.draft)) ?? missingPath);
}

function removal(pointer: PointerParts): Step {
  const edit = (draft: Draft<Json>): Edit => (container, token) =>
    because(`error in remove for path: '${pointer.text}'`, removeMember(container, token, draft));
  return (state) =>
    withDocument(state, editAt(state.draft, pointer, edit(state.draft)) ?? state.draft.resource);
}

function comparison(pointer: PointerParts, expected: Json): Step {
  const failed = new Fault(`testing value ${pointer.text} failed: test failed`);
  const missing = new Fault(`test operation does not apply: is missing path: ${pointer.text}: missing value`);
  if (pointer.text === "") return ({ draft }) => equal(draft.resource, expected) ? undefined : failed;
  return (state) => {
    const actual = read(state, pointer);
    if (actual === undefined) return missing;
    if (isFault(actual) && actual.missing === undefined) {
      return because(`error in test for path: '${pointer.text}'`, actual);
    }
    // Kyverno parity: a missing key is equal to null. Pinned by "a test of a missing key for null".
    return equal(isFault(actual) ? null : actual, expected) ? undefined : failed;
  };
}

function moving(to: PointerParts, from: PointerParts): Step {
  if (from.text === "") {
    return () => new Fault("unable to move entire document to another path: invalid state detected");
  }
  const missing = new Fault(
    `move operation does not apply: doc is missing from path: ${from.text}: missing value`,
  );
  const homeless = new Fault(
    `move operation does not apply: doc is missing destination path: ${to.text}: missing value`,
  );
  return (state) => {
    const value = read(state, from);
    if (value === undefined) return missing;
    if (isFault(value)) return because(`error in move for path: '${from.last}'`, value);
    const { draft } = state;
    // The empty key of the root names the root itself. A value must not contain itself, so later changes copy
    // it.
    if (value === draft.resource) draft.share(value);
    const without = editAt(
      draft,
      from,
      (container, token) =>
        because(`error in move for path: '${from.last}'`, removeMember(container, token, draft)),
    ) ?? draft.resource;
    if (isFault(without)) return without;
    draft.resource = without;
    const changed = editAt(
      draft,
      to,
      (container, token) =>
        because(`error in move for path: '${to.text}'`, insert(container, { token, value }, draft)),
    );
    return withDocument(state, changed ?? homeless);
  };
}

function copying(to: PointerParts, from: PointerParts): Step {
  const missing = new Fault(
    `copy operation does not apply: doc is missing from path: "${from.text}": missing value`,
  );
  const homeless = new Fault(
    `copy operation does not apply: doc is missing destination path: ${to.text}: missing value`,
  );
  return (state) => {
    const value = read(state, from);
    if (value === undefined) return missing;
    if (isFault(value)) return because(`error in copy for from: '${from.text}'`, value);
    state.copied += jsonSize(value, MOST_COPIED);
    if (state.copied > MOST_COPIED) {
      return new Fault(`copy operation does not apply: copies add more than ${MOST_COPIED} bytes`);
    }
    const { draft } = state;
    // The document has the value twice from now on, so later changes copy it.
    draft.share(value);
    const changed = editAt(
      draft,
      to,
      (container, token) =>
        because("error while adding value during copy", insert(container, { token, value }, draft)),
    );
    return withDocument(state, changed ?? homeless);
  };
}

/**
 * Returns the value at a pointer: `undefined` when its parent is missing, a fault when the parent has no such
 * member. Kyverno parity: an empty last token at the root names the original document; further down its value
 * is null. Pinned by tests/patch/json_patch_test.ts.
 */
function read(state: State, pointer: PointerParts): Json | undefined | Fault {
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

function withDocument({ draft }: State, document: Json | Fault): Fault | undefined {
  if (isFault(document)) return document;
  draft.resource = document;
  return undefined;
}
