import { Fault, isFault, jsonSize } from "../json/mod.ts";
import { because, insert, removeMember } from "./container.ts";
import { editAt, type PatchStep, valueAt, withDocument } from "./patch_state.ts";
import type { PointerParts } from "./pointer_parts.ts";

/**
 * The bytes that all copies of a patch may add; the API server bounds its patches alike. A copy shares the
 * value that it copies: twenty copies that each double a list cost nothing to make, but a gigabyte when the
 * document is written.
 */
const mostCopied = 3 * 1024 * 1024;

/** Plans `move`. */
export function moving(to: PointerParts, from: PointerParts): PatchStep {
  if (from.text === "") {
    return () => new Fault("unable to move entire document to another path: invalid state detected");
  }
  const missingSource = new Fault(
    `move operation does not apply: doc is missing from path: ${from.text}: missing value`,
  );
  const missingTarget = new Fault(
    `move operation does not apply: doc is missing destination path: ${to.text}: missing value`,
  );
  return (state) => {
    const value = valueAt(state, from);
    if (value === undefined) return missingSource;
    if (isFault(value)) return because(`error in move for path: '${from.last}'`, value);
    const { draft } = state;
    // The empty key of the root names the root itself. A value must not contain itself, so later changes copy it.
    if (value === draft.resource) draft.share(value);
    const without = editAt(
      state,
      from,
      (container, token) =>
        because(`error in move for path: '${from.last}'`, removeMember(container, token, state)),
    ) ?? draft.resource;
    if (isFault(without)) return without;
    draft.resource = without;
    const changed = editAt(
      state,
      to,
      (container, token) =>
        because(`error in move for path: '${to.text}'`, insert(container, { token, value }, state)),
    );
    return withDocument(state, changed ?? missingTarget);
  };
}

/** Plans `copy`. */
export function copying(to: PointerParts, from: PointerParts): PatchStep {
  const missingSource = new Fault(
    `copy operation does not apply: doc is missing from path: "${from.text}": missing value`,
  );
  const missingTarget = new Fault(
    `copy operation does not apply: doc is missing destination path: ${to.text}: missing value`,
  );
  return (state) => {
    const value = valueAt(state, from);
    if (value === undefined) return missingSource;
    if (isFault(value)) return because(`error in copy for from: '${from.text}'`, value);
    state.copied += jsonSize(value, mostCopied);
    if (state.copied > mostCopied) {
      return new Fault(`copy operation does not apply: copies add more than ${mostCopied} bytes`);
    }
    const { draft } = state;
    // The document has the value twice from now on, so later changes copy it.
    draft.share(value);
    const changed = editAt(
      state,
      to,
      (container, token) =>
        because("error while adding value during copy", insert(container, { token, value }, state)),
    );
    return withDocument(state, changed ?? missingTarget);
  };
}
