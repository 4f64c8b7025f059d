import type { JsonObject } from "../json/mod.ts";
import { celPolicyLabels } from "./cel_owner_labels.ts";
import { type GeneratingRule, ownerOf, type OwnerReference, ruleLabels } from "./owner_labels.ts";

/** The labels of all objects that a rule generated. Others may have them, too: {@link isMadeBy} chooses. */
export function madeLabels(maker: GeneratingRule): Readonly<Record<string, string>> {
  return maker.language === "classic" ? ruleLabels(maker) : celPolicyLabels(maker.policy);
}

/** Whether the labels of an object name a rule. */
export function isMadeBy(object: JsonObject, { policy, rule, language }: GeneratingRule): boolean {
  const owner = ownerOf(object);
  return owner !== undefined && owner.language === language && owner.rule === rule &&
    owner.policy.name === policy.name && owner.policy.namespace === policy.namespace;
}

/** Whether the labels of an object name an owner: its rule and its trigger. */
export function isSameOwner(object: JsonObject, owner: OwnerReference): boolean {
  return isMadeBy(object, owner) && ownerOf(object)?.trigger.uid === owner.trigger.uid;
}
