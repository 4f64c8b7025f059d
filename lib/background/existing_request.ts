import type { PolicyRequest } from "../engine/mod.ts";
import type { JsonObject } from "../json/mod.ts";
import { nameOf, namespaceOf, typeOf } from "../kube/mod.ts";

/**
 * The request for an existing object, for rules that run in the background. It matches like a CREATE without a user;
 * expressions see the object but no operation. With an operation it stands for a request that was missed, and
 * expressions see that, too; the old object of an update is unknown.
 */
export function existingRequest(object: JsonObject, operation?: "CREATE" | "UPDATE"): PolicyRequest {
  const namespace = namespaceOf(object);
  const name = nameOf(object);
  return {
    uid: "",
    operation: operation ?? "CREATE",
    ...typeOf(object),
    subresource: "",
    namespace,
    name,
    object,
    oldObject: undefined,
    requester: undefined,
    dryRun: false,
    variable: { namespace, name, object, ...(operation !== undefined && { operation }) },
  };
}
