import type { Effect } from "../engine/mod.ts";
import { asString, isObject } from "../json/mod.ts";
import { nameOf, namespaceOf, objectPath } from "../kube/mod.ts";
import type { Cluster } from "../ports.ts";
import { isApplied, isInStep } from "../rules/mod.ts";

/**
 * Whether the stored object is as an effect on a whole object wants it, so that the effect need not be carried out. An
 * apply says nothing about the fields that it does not name.
 */
export async function isAsWanted(
  { verb, object, subresource }: Effect,
  { cluster, signal }: { readonly cluster: Cluster; readonly signal: AbortSignal },
): Promise<boolean> {
  if (subresource !== undefined || verb !== "apply" && verb !== "update") return false;
  const resource = await cluster.resource(
    asString(object["apiVersion"]) ?? "",
    asString(object["kind"]) ?? "",
  );
  if (resource === undefined) return false;
  const path = objectPath(resource, { namespace: namespaceOf(object), name: nameOf(object) });
  const answer = await cluster.call({ method: "GET", path, signal });
  if (!answer.ok || !isObject(answer.body)) return false;
  return verb === "apply" ? isApplied(answer.body, object) : isInStep(answer.body, object);
}
