import { documentObjects } from "../../apply/mod.ts";
import type { Snapshot } from "../../engine/mod.ts";
import { asObject, type JsonObject } from "../../json/mod.ts";
import { typeOf } from "../../kube/mod.ts";
import { streamDocuments } from "../../sources/mod.ts";

/** Whether an object defines an entry of the global context. */
export function isGlobalEntry(object: JsonObject): boolean {
  return object["kind"] === "GlobalContextEntry" && typeOf(object).group === "kyverno.io";
}

/** The object as a cluster has it: an entry is in no namespace, which files without a cluster do not show. */
export function inItsScope(object: JsonObject): JsonObject {
  if (!isGlobalEntry(object)) return object;
  const { namespace: _, ...metadata } = asObject(object["metadata"]) ?? {};
  return { ...object, metadata };
}

/**
 * Whether a policy reads a GlobalContextEntry, and the files of objects define any. Kyverno parity: an entry then has
 * the other objects of these files. Pinned by "GlobalContextEntries among the objects give the global context".
 */
export async function hasGlobalEntries(
  { policies }: Snapshot,
  resource: readonly string[],
): Promise<boolean> {
  const reads = policies.some(({ policy }) =>
    policy.language === "classic" &&
    policy.rules.some(({ context }) => context.some(({ kind }) => kind === "globalReference"))
  );
  if (!reads || resource.includes("-")) return false;
  for await (const part of streamDocuments(resource)) {
    if (part.kind !== "document") continue;
    if (documentObjects(part.document).objects.some(({ object }) => isGlobalEntry(object))) return true;
  }
  return false;
}
