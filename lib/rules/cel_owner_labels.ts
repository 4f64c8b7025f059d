import { asString, type JsonObject } from "../json/mod.ts";
import { labelsOf, labelValueProblem, uidOf } from "../kube/mod.ts";
import { cloneLabels, type GeneratingRule, labelPrefix, managedLabel, ownerOf } from "./owner_labels.ts";

/** The policy in CEL that generates an object, and the trigger that it names as the reason. */
export interface CelOwner {
  readonly policy: GeneratingRule["policy"];
  readonly trigger: {
    readonly group: string;
    readonly version: string;
    readonly kind: string;
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
  };
}

/**
 * The labels of an object that a policy in CEL generates, which are not those of a classic rule. Kyverno parity: the
 * same labels, and that of the namespace for a policy that has one; a name that no label can have is left out. Pinned
 * by "an object of a GeneratingPolicy has the labels that Kyverno gives it".
 */
export function celOwnerLabels({ policy, trigger }: CelOwner): Readonly<Record<string, string>> {
  const { group, version, kind, name, namespace, uid } = trigger;
  return {
    ...celPolicyLabels(policy),
    ...(labelValueProblem(name) === undefined && { [`${labelPrefix}trigger-name`]: name }),
    [`${labelPrefix}trigger-namespace`]: namespace,
    [`${labelPrefix}trigger-uid`]: uid,
    [`${labelPrefix}trigger-kind`]: kind,
    [`${labelPrefix}trigger-group`]: group,
    [`${labelPrefix}trigger-version`]: version,
  };
}

/** The labels of all objects that a policy in CEL generated. */
export function celPolicyLabels({ name, namespace }: CelOwner["policy"]): Readonly<Record<string, string>> {
  return {
    ...managedLabel,
    [`${labelPrefix}policy-name`]: name,
    ...(namespace !== undefined && { [`${labelPrefix}policy-namespace`]: namespace }),
  };
}

/** A selector for the objects that a policy in CEL generated for a trigger; {@link isOwned} chooses among them. */
export function ownedLabels({ policy, trigger }: CelOwner): Readonly<Record<string, string>> {
  return {
    ...managedLabel,
    [`${labelPrefix}policy-name`]: policy.name,
    [`${labelPrefix}trigger-uid`]: trigger.uid,
  };
}

/**
 * Whether a policy in CEL generated a stored object for this trigger. Kyverno parity: all others are left alone, those
 * of other triggers too; its labels do not say of which namespace the policy is. Pinned by "an object that a
 * GeneratingPolicy did not generate for the trigger is left alone".
 */
export function isOwned(object: JsonObject, { policy, trigger }: CelOwner): boolean {
  const owner = ownerOf(object);
  if (owner === undefined || owner.rule !== policy.name || owner.policy.name !== policy.name) return false;
  if (owner.policy.namespace !== undefined && owner.policy.namespace !== policy.namespace) return false;
  return owner.trigger.uid === trigger.uid;
}

/**
 * The labels of a copy of a stored object before it gets those of its owner: those by which the source itself was
 * generated or is followed are not copied.
 */
export function copiedLabels(source: JsonObject): Readonly<Record<string, string>> {
  const kept = Object.entries(labelsOf(source)).filter(([name]) => !name.startsWith(labelPrefix));
  const texts = kept.map(([name, value]) => [name, asString(value) ?? ""]);
  return { ...Object.fromEntries(texts), ...(uidOf(source) !== "" && cloneLabels(source)) };
}
