import { asObject, asString, dig, equal, field, isObject, type Json, type JsonObject } from "../json/mod.ts";
import { labelsOf, nameOf, namespaceOf, typeOf, uidOf } from "../kube/mod.ts";

/** The rule and the trigger of a generated object. */
export interface Owner {
  readonly policy: { readonly name: string; readonly namespace: string | undefined };
  readonly rule: string;
  readonly trigger: JsonObject;
}

const prefix = "generate.kyverno.io/";

/** The label of objects whose clones are kept in step with them. */
export const cloneSourceLabel = `${prefix}clone-source`;

/**
 * The labels of a generated object, which name its rule and its trigger. Kyverno parity: the same labels, so that
 * Postern recognises objects that Kyverno generated, and Kyverno those of Postern. Pinned by "generated objects name
 * their owner, clones their source, and neither has fields of the API server".
 */
export function ownerLabels({ policy, rule, trigger }: Owner): Readonly<Record<string, string>> {
  const { group, version, kind } = typeOf(trigger);
  return {
    ...ruleLabels({ policy, rule }),
    [`${prefix}trigger-group`]: group,
    [`${prefix}trigger-version`]: version,
    [`${prefix}trigger-kind`]: kind,
    [`${prefix}trigger-namespace`]: namespaceOf(trigger),
    [`${prefix}trigger-uid`]: uidOf(trigger),
  };
}

/** The labels of all objects that a rule of a classic policy generated. */
export function ruleLabels(
  { policy, rule }: Pick<Owner, "policy" | "rule">,
): Readonly<Record<string, string>> {
  return {
    "app.kubernetes.io/managed-by": "kyverno",
    [`${prefix}policy-name`]: policy.name,
    [`${prefix}policy-namespace`]: policy.namespace ?? "",
    [`${prefix}rule-name`]: rule,
  };
}

/** The rule that generated an object. */
export interface MakerReference {
  readonly policy: { readonly name: string; readonly namespace: string | undefined };
  readonly rule: string;
  /** The language of the policy: policies of both languages may have one name. */
  readonly language: "classic" | "cel";
}

/** The owner of a generated object, read from its labels. */
export interface OwnerReference extends MakerReference {
  readonly trigger: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly namespace: string;
    readonly uid: string;
  };
}

/**
 * Reads the labels of a generated object back; `undefined` for other objects. What a policy in CEL generated names no
 * rule: the policy is the rule.
 */
export function ownerOf(object: JsonObject): OwnerReference | undefined {
  const label = (name: string): string => asString(dig(object, "metadata", "labels", prefix + name)) ?? "";
  const isManaged = dig(object, "metadata", "labels", "app.kubernetes.io/managed-by") === "kyverno";
  const name = label("policy-name");
  if (!isManaged || name === "") return undefined;
  const namespace = label("policy-namespace"),
    rule = label("rule-name"),
    group = label("trigger-group"),
    version = label("trigger-version");
  return {
    policy: { name, namespace: namespace === "" ? undefined : namespace },
    rule: rule === "" ? name : rule,
    language: rule === "" ? "cel" : "classic",
    trigger: {
      apiVersion: group === "" ? version : `${group}/${version}`,
      kind: label("trigger-kind"),
      namespace: label("trigger-namespace"),
      uid: label("trigger-uid"),
    },
  };
}

/** The labels of a clone that name its source. */
export function sourceLabels(source: JsonObject): Readonly<Record<string, string>> {
  const { group, version, kind } = typeOf(source);
  return {
    [`${prefix}source-group`]: group,
    [`${prefix}source-version`]: version,
    [`${prefix}source-kind`]: kind,
    [`${prefix}source-namespace`]: namespaceOf(source),
    [`${prefix}source-uid`]: uidOf(source),
  };
}

/** The label of all clones of a source. */
export function cloneLabels(source: JsonObject): Readonly<Record<string, string>> {
  return { [`${prefix}source-uid`]: uidOf(source) };
}

/**
 * The source of a clone, read from its labels; `undefined` for an object that was generated from data. A clone of a
 * policy in CEL names only the uid: its source is of its type, in any namespace.
 */
export function sourceOf(clone: JsonObject): OwnerReference["trigger"] | undefined {
  const label = (name: string): string => asString(dig(clone, "metadata", "labels", prefix + name)) ?? "";
  const uid = label("source-uid"), group = label("source-group"), version = label("source-version");
  if (uid === "") return undefined;
  if (label("source-kind") === "") {
    return {
      apiVersion: asString(clone["apiVersion"]) ?? "",
      kind: asString(clone["kind"]) ?? "",
      namespace: "",
      uid,
    };
  }
  return {
    apiVersion: group === "" ? version : `${group}/${version}`,
    kind: label("source-kind"),
    namespace: label("source-namespace"),
    uid,
  };
}

/**
 * The object with further labels. Kyverno parity: when one of the object's labels is not a string, the object
 * loses all of them. Pinned by "of an object with a label that is no text, all labels count as absent when
 * labels are added".
 */
export function labelled(object: JsonObject, labels: Readonly<Record<string, string>>): JsonObject {
  const metadata = asObject(field(object, "metadata")) ?? {};
  const merged = { ...labelsOf(object), ...labels };
  return { ...object, metadata: { ...metadata, labels: merged } };
}

/**
 * A generated object without the labels that name its rule, which then follows it no longer. Kyverno parity: the labels
 * of the trigger stay. Pinned by "a rule with another target releases the objects that it generated".
 */
export function released(object: JsonObject): JsonObject {
  const metadata = asObject(field(object, "metadata")) ?? {};
  const labels = { ...labelsOf(object) };
  for (const name of ["policy-name", "policy-namespace", "rule-name"]) delete labels[prefix + name];
  return { ...object, metadata: { ...metadata, labels } };
}

/** The fields of `metadata` that the API server writes. A manifest must not have them. */
const served = ["uid", "resourceVersion", "creationTimestamp", "generation", "managedFields", "selfLink"];

/** The object without the fields that the API server wrote, as the manifest of another object. */
export function manifestOf(object: JsonObject): JsonObject {
  return withoutMetadata(object, served);
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

/** The fields of metadata that say who else needs the object. */
const needed = ["finalizers", "ownerReferences"];

/** The wanted object with the finalizers and owners that others gave the existing one. */
export function keeping(existing: JsonObject, wanted: JsonObject): JsonObject {
  const kept = Object.entries(asObject(existing["metadata"]) ?? {}).filter(([name]) => needed.includes(name));
  return { ...wanted, metadata: { ...Object.fromEntries(kept), ...asObject(wanted["metadata"]) } };
}

/** A clone with the contents that its source has now. Its name, namespace and labels stay. */
export function copiedOnto(clone: JsonObject, source: JsonObject): JsonObject {
  const { labels } = asObject(field(clone, "metadata")) ?? {};
  const namespace = namespaceOf(clone);
  const copy = renamed(copyFor(namespace, source), { name: nameOf(clone), namespace });
  return { ...copy, metadata: { ...asObject(copy["metadata"]), ...(labels !== undefined && { labels }) } };
}
