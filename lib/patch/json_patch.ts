import { equal, Fault, isFault, isList, isObject, type Json } from "../json/mod.ts";
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
import { type Edit, editAt, type PointerParts, pointerParts } from "./place.ts";

/** One operation of a JSON patch (RFC 6902), as it is written. */
export type PatchOperation =
  | { readonly op: "add" | "replace"; readonly path: string; readonly value: Json }
  | { readonly op: "test"; readonly path: string; readonly value?: Json }
  | { readonly op: "remove"; readonly path: string }
  | { readonly op: "move" | "copy"; readonly path: string; readonly from: string };

/** A JSON patch whose pointers are already taken apart. */
export interface JsonPatch {
  readonly operations: readonly PatchOperation[];
  /**
   * The patched document. The one given is never modified, what the patch does not touch is shared with it, and it is
   * returned itself when nothing changes.
   */
  apply(document: Json): Json | Fault;
}

/** A document on its way through the operations. */
interface State {
  readonly document: Json;
  /** What the empty key of the root stands for, see {@link read}. */
  readonly whole: Json;
}

type Step = (state: State) => State | Fault;

/** Lists are not padded beyond this length; a patch that names element 1000000000 is refused, not obeyed. */
const LONGEST_PADDING = 10_000;

/**
 * Prepares a JSON patch. Kyverno parity: evanphx/json-patch with negative indices, a missing path ignored on remove, and
 * parents made on add (lists where the next token is a number or `-`, otherwise objects).
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
  return {
    operations,
    apply: (document) => {
      let state: State = { document, whole: document };
      for (const step of steps) {
        const next = step(state);
        if (isFault(next)) return next;
        state = next;
      }
      return equal(state.document, document) ? document : state.document;
    },
  };
}

function planOperation(operation: PatchOperation): Step {
  const place = pointerParts(operation.path);
  switch (operation.op) {
    case "add":
      return place.text === "" ? replaceRoot(operation.value, badAddition) : addition(place, operation.value);
    case "replace":
      return place.text === "" ? replaceRoot(operation.value, badRoot) : replacement(place, operation.value);
    case "remove":
      return removal(place);
    case "test":
      return comparison(place, operation.value ?? null);
    case "move":
      return moving(place, pointerParts(operation.from));
    case "copy":
      return copying(place, pointerParts(operation.from));
  }
}

function replaceRoot(value: Json, complaint: (value: Json) => Fault): Step {
  const refusal = isObject(value) || isList(value) ? undefined : complaint(value);
  return () => refusal ?? { document: value, whole: value };
}

function badAddition(value: Json): Fault {
  return value === null ? new Fault("invalid value, expected object") : new Fault(
    `json: cannot unmarshal ${jsonKind(value)} into Go value of type map[string]*jsonpatch.lazyNode`,
  );
}

function badRoot(): Fault {
  return new Fault("replace operation value must be object or array: %!w(<nil>)");
}

/** The value's kind in the words of Go's JSON decoder. */
export function jsonKind(value: Json): string {
  if (isList(value)) return "array";
  return typeof value === "boolean" ? "bool" : typeof value;
}

function addition(place: PointerParts, value: Json): Step {
  const missing = new Fault(
    `add operation does not apply: doc is missing path: "${place.text}": missing value`,
  );
  const tokens = [...place.parents, place.last];
  const addAt = (node: Json, depth: number): Json | Fault => {
    const container = asContainer(node);
    if (container === undefined) return new Fault("invalid state detected");
    const token = tokens[depth]!;
    if (depth === tokens.length - 1) {
      return because(`error in add for path: '${place.text}'`, insert(container, token, value));
    }
    const child = childOf(container, token);
    if (child !== undefined && child !== null && !isFault(child)) {
      const changed = addAt(child, depth + 1);
      return isFault(changed) ? changed : set(container, token, changed);
    }
    if (token === "") return missing;
    const parent = newParent(tokens[depth + 1]!);
    if (isFault(parent)) return parent;
    const filled = addAt(parent, depth + 1);
    if (isFault(filled)) return filled;
    const added = insert(padded(container, token), token, filled);
    return isFault(added) || token === "-" ? missing : added;
  };
  return (state) => place.nowhere ? missing : withDocument(state, addAt(state.document, 0));
}

/** The empty container that a missing parent becomes, by what is to be put into it. */
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

/** A list long enough to add the element at the token's index. */
function padded(container: Container, token: string): Container {
  const index = isList(container) ? parseIndex(token) : undefined;
  if (!isList(container) || index === undefined || index <= container.length || index > LONGEST_PADDING) {
    return container;
  }
  return [...container, ...new Array<Json>(index - container.length).fill(null)];
}

function replacement(place: PointerParts, value: Json): Step {
  const missingPath = new Fault(
    `replace operation does not apply: doc is missing path: ${place.text}: missing value`,
  );
  const missingKey = new Fault(
    `replace operation does not apply: doc is missing key: ${place.text}: missing value`,
  );
  const edit: Edit = (container, token) => {
    // Kyverno parity: an empty last token names the container itself, so the key "" always exists.
    const child = token === "" ? null : childOf(container, token);
    if (child === undefined || isFault(child)) return missingKey;
    return because(`error in remove for path: '${place.text}'`, set(container, token, value));
  };
  return (state) => withDocument(state, editAt(state.document, place, edit) ?? missingPath);
}

function removal(place: PointerParts): Step {
  const edit: Edit = (container, token) =>
    because(`error in remove for path: '${place.text}'`, removeMember(container, token));
  return (state) => withDocument(state, editAt(state.document, place, edit) ?? state.document);
}

function comparison(place: PointerParts, expected: Json): Step {
  const failed = new Fault(`testing value ${place.text} failed: test failed`);
  const missing = new Fault(`test operation does not apply: is missing path: ${place.text}: missing value`);
  if (place.text === "") return (state) => equal(state.document, expected) ? state : failed;
  return (state) => {
    const actual = read(state, place);
    if (actual === undefined) return missing;
    if (isFault(actual) && actual.missing === undefined) {
      return because(`error in test for path: '${place.text}'`, actual);
    }
    // Kyverno parity: a missing key is equal to null.
    return equal(isFault(actual) ? null : actual, expected) ? state : failed;
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
    const without = editAt(
      state.document,
      from,
      (container, token) => because(`error in move for path: '${from.last}'`, removeMember(container, token)),
    ) ?? state.document;
    if (isFault(without)) return without;
    const changed = editAt(
      without,
      to,
      (container, token) => because(`error in move for path: '${to.text}'`, insert(container, token, value)),
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
    const changed = editAt(
      state.document,
      to,
      (container, token) => because("error while adding value during copy", insert(container, token, value)),
    );
    return withDocument(state, changed ?? homeless);
  };
}

/**
 * The value at a place: `undefined` when its parent is missing, a fault when the parent has no such member.
 * Kyverno parity: an empty last token names the container itself, which is the document as it came, or null further down.
 */
function read(state: State, place: PointerParts): Json | undefined | Fault {
  if (place.nowhere) return undefined;
  let container = asContainer(state.document);
  for (const token of place.parents) {
    if (container === undefined) return undefined;
    const child = childOf(container, token);
    container = isFault(child) ? undefined : asContainer(child);
  }
  if (container === undefined) return undefined;
  const value = place.last === "" && isList(container) ? undefined : childOf(container, place.last);
  if (value !== undefined) return value;
  if (place.last === "") return place.parents.length === 0 ? state.whole : null;
  return new Fault(`unable to get nonexistent key: ${place.last}: missing value`, place.last);
}

function withDocument(state: State, document: Json | Fault): State | Fault {
  return isFault(document) ? document : { document, whole: state.whole };
}
