import type { JsonObject } from "../json/mod.ts";
import { typeOf } from "./group_version_kind.ts";
import { nameOf, namespaceOf } from "./metadata.ts";

/** The group, kind, namespace and name of an object as one text, the same in all versions of its API. */
export function objectIdentity(object: JsonObject): string {
  const { group, kind } = typeOf(object);
  return `${group}/${kind} ${namespaceOf(object)}/${nameOf(object)}`;
}
