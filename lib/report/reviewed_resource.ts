import type { PolicyRequest } from "../engine/mod.ts";
import { asString, field } from "../json/mod.ts";
import { nameOf, namespaceOf } from "../kube/mod.ts";

/**
 * The name of the object in messages. Kyverno parity: it comes from the object's metadata, so it is empty until the API
 * server generates the name. Pinned by "an object without namespace or name leaves their places empty".
 */
export function reviewedResource(
  { object, oldObject, kind }: PolicyRequest,
): { kind: string; namespace: string; name: string } {
  const reviewed = object ?? oldObject;
  return {
    kind: asString(field(reviewed, "kind")) ?? kind,
    namespace: namespaceOf(reviewed),
    name: nameOf(reviewed),
  };
}
