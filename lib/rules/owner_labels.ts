import { asObject, asString, dig, field, type JsonObject } from "../json/mod.ts";
import { formatApiVersion, labelsOf, namespaceOf, typeOf, uidOf } from "../kube/mod.ts";

/** The rule and the trigger of a generated object. */
export interface Owner {
  readonly policy: { readonly name: string; readonly namespace: string | undefined };
  readonly rule: string;
  readonly trigger: JsonObject;
}

/** The beginning of the names of all labels of generated objects. */
export const labelPrefix = "generate.kyverno.io/";

/** The label of all generated objects, whichever program generated them. */
export const managedLabel = { "app.kubernetes.io/managed-by": "kyverno" } as const;

/** The label of objects whose clones are kept in step with them. */
export const cloneSourceLabel = `${labelPrefix}clone-source`;

/**
 * The labels of a generated object, which name its rule and its trigger. Kyverno parity: the same labels, so that
 * Postern recognises objects that Kyverno generated, and Kyverno those of Postern. Pinned by "generated objects name
 * their owner, clones their source, and neither has fields of the API server".
 */
export function ownerLabels({ policy, rule, trigger }: Owner): Readonly<Record<string, string>> {
  const { group, version, kind } = typeOf(trigger);
  return {
    ...ruleLabels({ policy, rule }),
    [`${labelPrefix}trigger-group`]: group,
    [`${labelPrefix}trigger-version`]: version,
    [`${labelPrefix}trigger-kind`]: kind,
    [`${labelPrefix}trigger-namespace`]: namespaceOf(trigger),
    [`${labelPrefix}trigger-uid`]: uidOf(trigger),
  };
}

/** The labels of all objects that a rule of a classic policy generated. */
export function ruleLabels(
  { policy, rule }: Pick<Owner, "policy" | "rule">,
): Readonly<Record<string, string>> {
  return {
    ...managedLabel,
    [`${labelPrefix}policy-name`]: policy.name,
    [`${labelPrefix}policy-namespace`]: policy.namespace ?? "",
    [`${labelPrefix}rule-name`]: rule,
  };
}

/** The rule that generated an object. */
export interface GeneratingRule {
  readonly policy: { readonly name: string; readonly namespace: string | undefined };
  readonly rule: string;
  /** The language of the policy: policies of both languages may have one name. */
  readonly language: "classic" | "cel";
}

/** The owner of a generated object, read from its labels. */
export interface OwnerReference extends GeneratingRule {
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
  const label = (name: string): string => labelOf(object, name);
  const isManaged = dig(object, "metadata", "labels", "app.kubernetes.io/managed-by") === "kyverno";
  const name = label("policy-name");
  if (!isManaged || name === "") return undefined;
  const namespace = label("policy-namespace"), rule = label("rule-name");
  return {
    policy: { name, namespace: namespace === "" ? undefined : namespace },
    rule: rule === "" ? name : rule,
    language: rule === "" ? "cel" : "classic",
    trigger: {
      apiVersion: formatApiVersion({ group: label("trigger-group"), version: label("trigger-version") }),
      kind: label("trigger-kind"),
      namespace: label("trigger-namespace"),
      uid: label("trigger-uid"),
    },
  };
}

/** The value of a label of generated objects; empty when the object has no such label. */
function labelOf(object: JsonObject, name: string): string {
  return asString(dig(object, "metadata", "labels", labelPrefix + name)) ?? "";
}

/** The labels of a clone that name its source. */
export function sourceLabels(source: JsonObject): Readonly<Record<string, string>> {
  const { group, version, kind } = typeOf(source);
  return {
    [`${labelPrefix}source-group`]: group,
    [`${labelPrefix}source-version`]: version,
    [`${labelPrefix}source-kind`]: kind,
    [`${labelPrefix}source-namespace`]: namespaceOf(source),
    [`${labelPrefix}source-uid`]: uidOf(source),
  };
}

/** The label of all clones of a source. */
export function cloneLabels(source: JsonObject): Readonly<Record<string, string>> {
  return { [`${labelPrefix}source-uid`]: uidOf(source) };
}

/**
 * The source of a clone, read from its labels; `undefined` for an object that was generated from data. A clone of a
 * policy in CEL names only the uid: its source is of its type, in any namespace.
 */
export function sourceOf(clone: JsonObject): OwnerReference["trigger"] | undefined {
  const label = (name: string): string => labelOf(clone, name), uid = label("source-uid");
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
    apiVersion: formatApiVersion({ group: label("source-group"), version: label("source-version") }),
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
  for (const name of ["policy-name", "policy-namespace", "rule-name"]) delete labels[labelPrefix + name];
  return { ...object, metadata: { ...metadata, labels } };
}
