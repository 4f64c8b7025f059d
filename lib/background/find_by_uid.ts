import { dig, type Fault, isFault, type JsonObject } from "../json/mod.ts";
import type { Cluster } from "../ports.ts";
import { listObjects } from "./list_objects.ts";

/** An object by its identity: labels of generated objects name triggers so. */
export interface UidReference {
  /** Empty for the preferred version of a built-in kind. */
  readonly apiVersion: string;
  readonly kind: string;
  /** Empty for cluster-scoped kinds. */
  readonly namespace: string;
  readonly uid: string;
}

/**
 * The stored object with a uid; `undefined` when there is none. The API has no selector for uids, so its kind is read page
 * by page until the object is found. A fault when the kind cannot be listed: that is no absence.
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
