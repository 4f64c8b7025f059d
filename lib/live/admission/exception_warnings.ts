import type { Snapshot } from "../../engine/mod.ts";
import { asList, asTexts, field, isObject, type JsonObject, textField } from "../../json/mod.ts";
import { compileWildcard, nameOf, namespaceOf } from "../../kube/mod.ts";
import { celGroup, hasRules, policyKey } from "../../policy/mod.ts";

/** The policies that an exception can name. */
export interface ExistingPolicies {
  /** The objects of policies, in files and in the cluster, as soon as they are stored. */
  stored(): readonly JsonObject[];
  /** The policies in force; `undefined` before the first load. */
  readonly snapshot: Snapshot | undefined;
}

/**
 * Warnings for the author of an exception that names policies or rules which do not exist. It may be stored all the
 * same, because they may be stored after it.
 */
export function missingTargets(exception: JsonObject, existing: ExistingPolicies): string[] {
  const isCel = textField(exception, "apiVersion").startsWith(`${celGroup}/`);
  return isCel ? missingReferences(exception, existing) : missingRules(exception, existing);
}

function missingReferences(exception: JsonObject, existing: ExistingPolicies): string[] {
  const names = new Set(existing.stored().map((each) => `${textField(each, "kind")} ${nameOf(each)}`));
  return asList(field(exception["spec"], "policyRefs")).filter(isObject)
    .map((reference) => `${textField(reference, "kind")} ${textField(reference, "name")}`)
    .filter((name) => !names.has(name))
    .map((name) => `there is no ${name} yet: check its kind and name`);
}

function missingRules(exception: JsonObject, existing: ExistingPolicies): string[] {
  const policies = existing.stored().filter((each) => hasRules(textField(each, "kind")));
  const keys = new Set(policies.map((each) => keyOf(each))), names = new Set(policies.map(nameOf));
  const inForce = existing.snapshot?.policies.filter(({ policy }) => hasRules(policy.kind)) ?? [];
  const compiled = new Map(inForce.map((each) => [each.policy.key, each]));
  return asList(field(exception["spec"], "exceptions")).filter(isObject).flatMap((entry) => {
    const key = textField(entry, "policyName");
    if (!keys.has(key)) {
      const hint = names.has(key) ? "a Policy is named NAMESPACE/NAME" : "check its name";
      return [`there is no policy ${key} yet: ${hint}`];
    }
    const rules = [...new Set(compiled.get(key)?.rules.map(({ rule }) => rule.name))];
    if (rules.length === 0) return [];
    return asTexts(entry["ruleNames"]).filter((name) => !rules.some(compileWildcard(name)))
      .map((name) => `policy ${key} has no rule ${name}: its rules are ${listed(rules)}`);
  });
}

function keyOf(policy: JsonObject): string {
  return policyKey({ name: nameOf(policy), namespace: namespaceOf(policy) });
}

/** The most names in a message. */
const mostNames = 10;

function listed(names: readonly string[]): string {
  const more = names.length - mostNames;
  return names.slice(0, mostNames).join(", ") + (more > 0 ? ` and ${more} more` : "");
}
