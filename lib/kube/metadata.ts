import { asObject, asString, asTextMap, dig, isString, type Json, type JsonObject } from "../json/mod.ts";

/** The name of an object; empty when it has none (yet). */
export function nameOf(object: Json | undefined): string {
  return asString(dig(object, "metadata", "name")) ?? "";
}

/** The namespace of an object; empty for objects of the whole cluster. */
export function namespaceOf(object: Json | undefined): string {
  return asString(dig(object, "metadata", "namespace")) ?? "";
}

/** The annotations of an object. Values that are no text are left out: the API server stores none. */
export function annotationsOf(object: Json | undefined): Readonly<Record<string, string>> {
  return asTextMap(dig(object, "metadata", "annotations"));
}

/** The labels of an object. Kubernetes knows text only: with any other value among them there are none. */
export function labelsOf(object: Json): JsonObject {
  const labels = asObject(dig(object, "metadata", "labels")) ?? {};
  return Object.values(labels).every(isString) ? labels : {};
}
