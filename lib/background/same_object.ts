import type { JsonObject } from "../json/mod.ts";
import { nameOf, namespaceOf, typeOf } from "../kube/mod.ts";

/** Whether two values are one object of the cluster, in whatever version: they have the group, kind, namespace and name. */
export function isSameObject(left: JsonObject, right: JsonObject): boolean {
  const one = typeOf(left), other = typeOf(right);
  return one.group === other.group && one.kind === other.kind && nameOf(left) === nameOf(right) &&
    namespaceOf(left) === namespaceOf(right);
}
