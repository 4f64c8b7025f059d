import type { PolicyRequest } from "../engine/mod.ts";
import { asString, field } from "../json/mod.ts";
import { nameOf, namespaceOf } from "../kube/mod.ts";

/**
 * The kind, namespace and name of the object in messages. Kyverno parity: namespace and name come from the metadata, so
 * a name that the API server has not generated yet is empty. Pinned by "the message has empty text for a namespace or
 * name that the object lacks".
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
