import { dig, equal, type JsonObject, parsePointer } from "../json/mod.ts";
import {
  overlaps,
  ownableFields,
  type Ownership,
  ownershipsOf,
  takenOver,
  withOwnerships,
} from "./managed_fields.ts";
import { withoutValue, withValue } from "./merge.ts";
import { applyConflict, type Reply } from "./reply.ts";

/** A server-side apply. */
export interface ApplyRequest {
  /** The stored object; `undefined` when the apply creates it. */
  readonly live: JsonObject | undefined;
  /** The object that the manager applies: only the fields that it manages. */
  readonly wanted: JsonObject;
  readonly by: Omit<Ownership, "fields" | "operation">;
  /** `yes` takes fields from other managers. */
  readonly force: "yes" | "no";
}

/**
 * The object after a server-side apply, or a conflict when other managers own the changed fields. Fields that the
 * manager applied before and now leaves out are removed, unless another manager owns them too. Lists are applied as a
 * whole: this cluster does not know which lists of a kind are maps by a key.
 */
export function applied({ live, wanted, by, force }: ApplyRequest): JsonObject | Reply {
  const ownership: Ownership = { ...by, operation: "Apply", fields: ownableFields(wanted) };
  if (live === undefined) return withOwnerships(wanted, [ownership]);
  const ownerships = ownershipsOf(live);
  const isSameManager = (each: Ownership) => each.manager === by.manager && each.operation === "Apply";
  const others = ownerships.filter((each) => !isSameManager(each));
  const changed = [...ownership.fields].filter((pointer) => {
    const path = parsePointer(pointer);
    const now = dig(live, ...path), then = dig(wanted, ...path);
    return now === undefined || then === undefined || !equal(now, then);
  });
  const contested = others.flatMap((each) =>
    [...each.fields].filter((pointer) => changed.some((change) => overlaps(change, pointer)))
      .map((pointer) => ({ writer: writerOf(each), field: dotted(pointer) }))
  );
  if (contested.length > 0 && force === "no") return applyConflict(contested);

  let object = live;
  const former = ownerships.find(isSameManager)?.fields ?? new Set<string>();
  for (const pointer of former) {
    const kept = [...ownership.fields].some((owned) => overlaps(owned, pointer)) ||
      others.some(({ fields }) => [...fields].some((each) => overlaps(each, pointer)));
    if (!kept) object = withoutValue(object, parsePointer(pointer));
  }
  for (const pointer of changed) {
    const path = parsePointer(pointer);
    const value = dig(wanted, ...path);
    if (value !== undefined) object = withValue(object, path, value);
  }
  // Managers that apply a field with the same value share it; only changed fields are taken from others.
  const taken = takenOver(ownerships.filter((each) => !isSameManager(each)), {
    ...ownership,
    fields: new Set(changed),
  }, {
    addsToFormer: false,
  }).slice(0, -1);
  return withOwnerships(object, [ownership, ...taken]);
}

function dotted(pointer: string): string {
  return parsePointer(pointer).map((name) => `.${name}`).join("");
}

/**
 * The manager in a conflict's message. Kubernetes parity: for managers that do not apply, it names the version that
 * they wrote in.
 */
function writerOf({ manager, operation, apiVersion }: Ownership): string {
  return operation === "Apply" ? JSON.stringify(manager) : `${JSON.stringify(manager)} using ${apiVersion}`;
}
