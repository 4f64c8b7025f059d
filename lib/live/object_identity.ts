import type { JsonObject } from "../json/mod.ts";
import { nameOf, namespaceOf } from "../kube/mod.ts";

/** The kind, namespace and name of an object as one text, the same in all versions of its API. */
export function objectIdentity(object: JsonObject): string {
  return `${object["kind"]} ${namespaceOf(object)}/${nameOf(object)}`;
}
