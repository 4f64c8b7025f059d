import {
  equal,
  Fault,
  isFault,
  isList,
  isObject,
  type Json,
  type StepBudget,
  valueAtPath,
} from "../json/mod.ts";
import { childOf } from "./container.ts";
import { Draft } from "./draft.ts";
import { FailedTest, type PatchOperation, planOperation } from "./json_patch.ts";
import { PatchState } from "./patch_state.ts";
import { pointerParts } from "./pointer_parts.ts";

/**
 * Applies a JSON patch as the API server does: `add` creates no parents, `remove` needs an existing path, `replace`
 * sets an absent field, and a copy of an absent field is null. When a `test` finds another value the document does not
 * change. The result is a fault when the path of an operation does not exist, or the patch uses up its steps.
 *
 * Kubernetes parity: apiserver, plugin/policy/mutating/patch, with version 4 of evanphx/json-patch. Pinned by
 * tests/patch/structured_merge_test.ts.
 *
 * ```ts
 * import { applyStrictly } from "./strict_patch.ts";
 * import { isFault } from "../json/mod.ts";
 * import assert from "node:assert/strict";
 * assert(isFault(applyStrictly([{ op: "add", path: "/a/b", value: 1 }], {})));
 * assert.deepEqual(applyStrictly([{ op: "add", path: "/a", value: 1 }], {}), { a: 1 });
 * ```
 */
export function applyStrictly(
  operations: readonly PatchOperation[],
  document: Json,
  steps: StepBudget = { left: Infinity },
): Json | Fault {
  // One draft for all operations: thousands of them may change one map, which is then copied once.
  const draft = new Draft(document), state = new PatchState(draft, steps);
  for (const written of operations) {
    if (!operators.has(written.op)) return new Fault(`Unexpected kind: ${written.op}`);
    const operation = onAbsentField(written, draft.resource);
    state.whole = draft.resource;
    const fault = missingPath(operation, draft.resource) ?? planOperation(operation)(state);
    const exhaustion = state.exhaustion();
    if (exhaustion !== undefined) return exhaustion;
    if (fault !== undefined) return fault instanceof FailedTest ? document : fault;
  }
  return equal(draft.resource, document) ? document : draft.resource;
}

/** The expressions of policies write operators as any text. */
const operators: ReadonlySet<string> = new Set(["add", "copy", "move", "remove", "replace", "test"]);

/** The operation that does the same, where a field of an object is absent that `replace` or `copy` names. */
function onAbsentField(operation: PatchOperation, document: Json): PatchOperation {
  const { op, path } = operation;
  if (op === "replace" && isAbsentField(path, document)) return { ...operation, op: "add" };
  if (op === "copy" && isAbsentField(operation.from, document)) return { op: "add", path, value: null };
  return operation;
}

function isAbsentField(path: string, document: Json): boolean {
  if (path === "") return false;
  const { parents, last } = pointerParts(path);
  const container = valueAtPath(document, parents);
  return isObject(container) && !Object.hasOwn(container, last);
}

function missingPath(operation: PatchOperation, document: Json): Fault | undefined {
  const { op, path } = operation;
  if (op === "move" && isAbsentField(operation.from, document)) {
    const { last } = pointerParts(operation.from);
    return new Fault(`error in move for path: '${last}': ${nonexistent(last)}`);
  }
  if (op !== "add" && op !== "remove" || path === "") return undefined;
  const { parents, last } = pointerParts(path);
  const container = valueAtPath(document, parents);
  if (!isObject(container) && !isList(container)) {
    return new Fault(`${op} operation does not apply: doc is missing path: "${path}": missing value`);
  }
  if (op === "add") return undefined;
  const found = childOf(container, last);
  if (isFault(found)) return new Fault(`error in remove for path: '${path}': ${found.message}`);
  return found === undefined
    ? new Fault(`error in remove for path: '${path}': ${nonexistent(last)}`)
    : undefined;
}

function nonexistent(key: string): string {
  return `Unable to remove nonexistent key: ${key}: missing value`;
}
