import type { JsonObject } from "../../json/mod.ts";
import { labelsOf } from "../../kube/mod.ts";

/** An object with the names, uid and version that a scan keeps of it. */
export function onlyIdentity({ metadata }: JsonObject): JsonObject {
  const { name, namespace, uid, resourceVersion } = metadata as JsonObject;
  return {
    metadata: {
      name: name ?? "",
      ...(namespace !== undefined && { namespace }),
      uid: uid ?? "",
      resourceVersion: resourceVersion ?? "",
    },
  };
}

/** The same with its labels. */
export function identityWithLabels(object: JsonObject): JsonObject {
  const identity = onlyIdentity(object)["metadata"] as JsonObject;
  return { metadata: { ...identity, labels: labelsOf(object) } };
}
