import { asObject, asString, asTextMap, dig, isString, type Json, type JsonObject } from "../json/mod.ts";

/** The name of an object; empty if it has none, for example before the API server generates it. */
export function nameOf(object: Json | undefined): string {
  return asString(dig(object, "metadata", "name")) ?? "";
}

/** The namespace of an object; empty for cluster-scoped objects. */
export function namespaceOf(object: Json | undefined): string {
  return asString(dig(object, "metadata", "namespace")) ?? "";
}

/** `Kind/namespace/name` of an object, for messages; without the parts that it lacks. */
export function objectText(object: JsonObject): string {
  return [asString(object["kind"]) ?? "", namespaceOf(object), nameOf(object)].filter((part) => part !== "")
    .join("/");
}

/** The uid of an object; empty if it has none, for example before the API server stores it. */
export function uidOf(object: Json | undefined): string {
  return asString(dig(object, "metadata", "uid")) ?? "";
}

/** The creation time of an object, in milliseconds since 1970; NaN when it has none. */
export function createdAt(object: Json | undefined): number {
  return Date.parse(asString(dig(object, "metadata", "creationTimestamp")) ?? "");
}

/** Whether an object was deleted and only waits for its finalizers: nothing keeps it. */
export function isBeingDeleted(object: Json | undefined): boolean {
  return dig(object, "metadata", "deletionTimestamp") !== undefined;
}

/** The annotations of an object. Values that are not texts are left out, because the API server stores no others. */
export function annotationsOf(object: Json | undefined): Readonly<Record<string, string>> {
  return asTextMap(dig(object, "metadata", "annotations"));
}

/** The labels of an object. Kubernetes allows only texts, so one value of another type makes the result empty. */
export function labelsOf(object: Json): JsonObject {
  const labels = asObject(dig(object, "metadata", "labels")) ?? {};
  return Object.values(labels).every(isString) ? labels : {};
}
