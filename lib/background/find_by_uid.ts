import { dig, type Fault, isFault, type JsonObject } from "../json/mod.ts";
import { uidOf } from "../kube/mod.ts";
import type { Cluster } from "../ports.ts";
import { listObjects } from "./list_objects.ts";

/** The identity of an object, as labels of generated objects name their trigger. */
export interface UidReference {
  /** Empty for the preferred version of a built-in kind. */
  readonly apiVersion: string;
  readonly kind: string;
  /** Empty for cluster-scoped kinds. */
  readonly namespace: string;
  readonly uid: string;
}

/**
 * The stored object with a uid; `undefined` when there is none. The API has no selector for uids, so this lists the
 * kind page by page until it finds the object. A fault when the kind cannot be listed, because that does not show
 * whether the object exists.
 */
export async function findByUid(
  { uid, ...listing }: UidReference,
  options: { readonly cluster: Cluster; readonly signal: AbortSignal },
): Promise<JsonObject | undefined | Fault> {
  for await (const object of listObjects(listing, options)) {
    if (isFault(object) || dig(object, "metadata", "uid") === uid) return object;
  }
  return undefined;
}

/** The uids of those objects that are not stored. It lists each kind once; a fault when one cannot be listed. */
export async function findMissing(
  references: readonly UidReference[],
  options: { readonly cluster: Cluster; readonly signal: AbortSignal },
): Promise<ReadonlySet<string> | Fault> {
  const missing = new Set(references.map(({ uid }) => uid));
  const listings = new Map(
    references.map(({ uid: _uid, ...listing }) => [Object.values(listing).join(" "), listing]),
  );
  for (const listing of listings.values()) {
    for await (const object of listObjects(listing, options)) {
      if (isFault(object)) return object;
      missing.delete(uidOf(object));
    }
  }
  return missing;
}
