import { asObject, dig, equal, field, isObject, type Json, type JsonObject } from "../json/mod.ts";
import { nameOf, namespaceOf } from "../kube/mod.ts";

/** The fields of `metadata` that the API server writes. A manifest must not have them. */
const serverFields = [
  "uid",
  "resourceVersion",
  "creationTimestamp",
  "generation",
  "managedFields",
  "selfLink",
];

/** The object without the fields that the API server wrote, as the manifest of another object. */
export function manifestOf(object: JsonObject): JsonObject {
  return withoutMetadata(object, serverFields);
}

/**
 * The manifest of a copy of a stored object. Owners must be in the namespace of the owned object: a reference to
 * another namespace would delete the copy.
 */
export function copyFor(namespace: string, source: JsonObject): JsonObject {
  const manifest = manifestOf(source);
  return namespaceOf(source) === namespace ? manifest : withoutMetadata(manifest, ["ownerReferences"]);
}

function withoutMetadata(object: JsonObject, names: readonly string[]): JsonObject {
  const metadata = Object.entries(asObject(field(object, "metadata")) ?? {});
  return { ...object, metadata: Object.fromEntries(metadata.filter(([name]) => !names.includes(name))) };
}

/** The object with another name and namespace; without a namespace for cluster-scoped kinds. */
export function renamed(
  object: JsonObject,
  identity: { readonly name: string; readonly namespace: string },
): JsonObject {
  const { namespace: _, name: __, ...metadata } = asObject(field(object, "metadata")) ?? {};
  const { name, namespace } = identity;
  return { ...object, metadata: { ...metadata, name, ...(namespace !== "" && { namespace }) } };
}

/** Whether an existing object has the wanted contents, apart from fields that the API server adds. */
export function isInStep(existing: JsonObject, wanted: JsonObject): boolean {
  const { status: _, ...found } = manifestOf(existing);
  const { status: __, ...meant } = manifestOf(wanted);
  return equal(found, meant);
}

/** Whether applying the wanted object would change nothing: all its fields are present. */
export function isApplied(existing: Json, wanted: Json): boolean {
  if (!isObject(wanted)) return equal(existing, wanted);
  return isObject(existing) &&
    Object.keys(wanted).every((name) =>
      Object.hasOwn(existing, name) && isApplied(existing[name]!, wanted[name]!)
    );
}

/** The object with the resourceVersion that it replaces, so that a change in between makes the write fail. */
export function replacing(existing: JsonObject, wanted: JsonObject): JsonObject {
  const version = dig(existing, "metadata", "resourceVersion");
  const metadata = asObject(field(wanted, "metadata")) ?? {};
  return version === undefined ? wanted : { ...wanted, metadata: { ...metadata, resourceVersion: version } };
}

/** The fields of metadata by which others depend on the object. */
const dependencyFields = ["finalizers", "ownerReferences"];

/** The wanted object with the finalizers and owners that others gave the existing one. */
export function keeping(existing: JsonObject, wanted: JsonObject): JsonObject {
  const kept = Object.entries(asObject(existing["metadata"]) ?? {}).filter(([name]) =>
    dependencyFields.includes(name)
  );
  return { ...wanted, metadata: { ...Object.fromEntries(kept), ...asObject(wanted["metadata"]) } };
}

/** A clone with the contents that its source has now. Its name, namespace and labels stay. */
export function copiedOnto(clone: JsonObject, source: JsonObject): JsonObject {
  const { labels } = asObject(field(clone, "metadata")) ?? {};
  const namespace = namespaceOf(clone);
  const copy = renamed(copyFor(namespace, source), { name: nameOf(clone), namespace });
  return { ...copy, metadata: { ...asObject(copy["metadata"]), ...(labels !== undefined && { labels }) } };
}
