import { equal, Fault, isFault, isList, isObject, type Json, type StepBudget } from "../json/mod.ts";
import { addition } from "./addition.ts";
import { because, childOf, removeMember, set } from "./container.ts";
import { Draft } from "./draft.ts";
import { type Edit, editAt, PatchState, type PatchStep, valueAt, withDocument } from "./patch_state.ts";
import { type PointerParts, pointerParts } from "./pointer_parts.ts";
import { copying, moving } from "./transfers.ts";

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
  apply(document: Json, steps?: StepBudget): Json | Fault;
  /**
   * Applies the patch to a draft. After a fault the draft must not be used. A patch that uses up its steps is a fault.
   */
  change(draft: Draft<Json>, steps?: StepBudget): Fault | undefined;
}

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
  const planned = operations.map(planOperation);
  const change = (draft: Draft<Json>, steps: StepBudget = { left: Infinity }): Fault | undefined => {
    const state = new PatchState(draft, steps);
    for (const step of planned) {
      const fault = step(state) ?? state.exhaustion();
      if (fault !== undefined) return fault;
    }
    return undefined;
  };
  return {
    operations,
    change,
    apply: (document, steps) => {
      const draft = new Draft(document);
      return change(draft, steps) ?? (equal(draft.resource, document, steps) ? document : draft.resource);
    },
  };
}

/** Prepares one operation. */
export function planOperation(operation: PatchOperation): PatchStep {
  const pointer = pointerParts(operation.path);
  switch (operation.op) {
    case "add":
      return pointer.text === ""
        ? replaceRoot(operation.value, scalarAsAddition)
        : addition(pointer, operation.value);
    case "replace":
      return pointer.text === ""
        ? replaceRoot(operation.value, scalarAsReplacement)
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

/** Plans an operation that replaces the document. `faultOf` makes the fault for a scalar, which is no document. */
function replaceRoot(value: Json, faultOf: (value: Json) => Fault): PatchStep {
  const fault = isObject(value) || isList(value) ? undefined : faultOf(value);
  return (state) => {
    if (fault !== undefined) return fault;
    state.draft.resource = value;
    state.whole = value;
    return undefined;
  };
}

function scalarAsAddition(value: Json): Fault {
  return value === null ? new Fault("invalid value, expected object") : new Fault(
    `json: cannot unmarshal ${jsonKind(value)} into Go value of type map[string]*jsonpatch.lazyNode`,
  );
}

function scalarAsReplacement(): Fault {
  return new Fault("replace operation value must be object or array: %!w(<nil>)");
}

/** Returns the value's kind in the words of Go's JSON decoder. */
export function jsonKind(value: Json): string {
  if (isList(value)) return "array";
  return typeof value === "boolean" ? "bool" : typeof value;
}

function replacement(pointer: PointerParts, value: Json): PatchStep {
  const missingPath = new Fault(
    `replace operation does not apply: doc is missing path: ${pointer.text}: missing value`,
  );
  const missingKey = new Fault(
    `replace operation does not apply: doc is missing key: ${pointer.text}: missing value`,
  );
  const edit = (state: PatchState): Edit => (container, token) => {
    // Kyverno parity: an empty last token names the container itself, so the key "" always exists. Pinned by "add sets
    // the empty key".
    const child = token === "" ? null : childOf(container, token);
    if (child === undefined || isFault(child)) return missingKey;
    return because(`error in remove for path: '${pointer.text}'`, set(container, { token, value }, state));
  };
  return (state) => withDocument(state, editAt(state, pointer, edit(state)) ?? missingPath);
}

function removal(pointer: PointerParts): PatchStep {
  const edit = (state: PatchState): Edit => (container, token) =>
    because(`error in remove for path: '${pointer.text}'`, removeMember(container, token, state));
  return (state) => withDocument(state, editAt(state, pointer, edit(state)) ?? state.draft.resource);
}

/** The fault of a `test` that found another value. A `test` at a path that does not exist has a fault of its own. */
export class FailedTest extends Fault {}

function comparison(pointer: PointerParts, expected: Json): PatchStep {
  const failed = new FailedTest(`testing value ${pointer.text} failed: test failed`);
  const missing = new Fault(`test operation does not apply: is missing path: ${pointer.text}: missing value`);
  if (pointer.text === "") {
    return ({ draft, steps }) => equal(draft.resource, expected, steps) ? undefined : failed;
  }
  return (state) => {
    const actual = valueAt(state, pointer);
    if (actual === undefined) return missing;
    if (isFault(actual) && actual.missing === undefined) {
      return because(`error in test for path: '${pointer.text}'`, actual);
    }
    // Kyverno parity: a missing key is equal to null. Pinned by "a test of a missing key for null".
    return equal(isFault(actual) ? null : actual, expected, state.steps) ? undefined : failed;
  };
}
