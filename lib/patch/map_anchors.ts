import { type Fault, field, isFault, type Json } from "../json/mod.ts";
import { entryOf, mapOf, type MapPatch, type PatchEntry } from "./patch_node.ts";

/**
 * The kind of a condition that does not hold. `condition` is about the list element around it, or outside of
 * lists about the patch; `global` (`<()`) is about the whole rule.
 */
export type UnmetCondition = "condition" | "global";

const roles = ["global", "condition"] as const;

/** The entries of a map while their anchors are decided. The first change copies the list. */
export class Entries {
  list: readonly PatchEntry[];
  #copy: PatchEntry[] | undefined;

  constructor(list: readonly PatchEntry[]) {
    this.list = list;
  }

  set(index: number, entry: PatchEntry): void {
    if (entry === this.list[index]) return;
    if (this.#copy === undefined) this.list = this.#copy = [...this.list];
    this.#copy[index] = entry;
  }

  /** Returns the map with these entries. */
  of(map: MapPatch): MapPatch {
    return this.list === map.entries ? map : mapOf(this.list);
  }
}

/**
 * Drops each `+(key)` where the resource has the key, even with null; elsewhere the key without `+()` takes its
 * position.
 */
export function resolveAdditions(
  entries: readonly PatchEntry[],
  resource: Json | undefined,
): readonly PatchEntry[] | Fault {
  const resolved: PatchEntry[] = [];
  for (const entry of entries) {
    if (!isAddition(entry)) resolved.push(entry);
    else if (field(resource, entry.key) === undefined) {
      const added = entry.added ?? entryOf(entry.key, entry.node);
      if (isFault(added)) return added;
      resolved.push(added);
    }
  }
  return resolved;
}

function isAddition({ role }: PatchEntry): boolean {
  return role === "addition";
}

/** Checks the conditions among a map's keys, those on the whole rule first. */
export function checkConditions(
  entries: Entries,
  resource: Json | undefined,
): UnmetCondition | Fault | undefined {
  for (const role of roles) {
    for (let index = 0; index < entries.list.length; index++) {
      const entry = entries.list[index]!;
      if (entry.role !== role) continue;
      const checked = checkCondition(entry, resource);
      if (checked === "unmet") return role;
      if (isFault(checked)) return checked;
      entries.set(index, checked);
    }
  }
  return undefined;
}

/**
 * Checks a condition. It does not hold where the resource lacks the key. Kyverno parity: a condition with `+()`
 * keys directly inside counts as satisfied and only decides these keys; for the next element it is an ordinary
 * condition. Pinned by tests/patch/strategic_merge_test.ts.
 */
function checkCondition(entry: PatchEntry, resource: Json | undefined): PatchEntry | "unmet" | Fault {
  const value = field(resource, entry.key);
  if (value === undefined) return "unmet";
  const { node } = entry;
  if (node.kind !== "map" || !node.hasAdditions) return entry.holds(value) ? entry : "unmet";
  const resolved = resolveAdditions(node.entries, value);
  if (isFault(resolved)) return resolved;
  return entryOf(entry.role === "global" ? `<(${entry.key})` : `(${entry.key})`, mapOf(resolved));
}
