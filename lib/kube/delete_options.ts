import { asString, dig, type JsonObject } from "../json/mod.ts";

/**
 * The body of a DELETE of exactly this object, and not of a later one with its name (Kubernetes API: DeleteOptions).
 */
export function deleteOptions(object: JsonObject, propagationPolicy?: string): JsonObject {
  const uid = asString(dig(object, "metadata", "uid"));
  return {
    apiVersion: "v1",
    kind: "DeleteOptions",
    ...(uid !== undefined && { preconditions: { uid } }),
    ...(propagationPolicy !== undefined && { propagationPolicy }),
  };
}
