import { asList, asObject, asString, dig, field, type Json } from "../json/mod.ts";
import { builtinResource } from "../kube/mod.ts";
import { parseMatch } from "./match_block.ts";
import { isPod, podControllers } from "./pod_controllers.ts";

/** Every kind. */
const anyKind = "*";

/**
 * The kinds of resources that the rules of a policy's document match, as `kinds` of a rule lists them. A document that
 * is read otherwise matches all.
 */
export function matchedKinds(document: Json): readonly string[] {
  const spec = asObject(field(document, "spec")) ?? {};
  const rules = asList(spec["rules"]), constraints = asList(dig(spec, "matchConstraints", "resourceRules"));
  const kinds = new Set([...rules.flatMap(kindsOfRule), ...constraints.flatMap(kindsOfConstraint)]);
  if (kinds.size === 0) return [anyKind];
  // Rules for Pods are derived for their controllers too.
  return [...kinds].some(isPod) ? [...kinds, ...Object.keys(podControllers)] : [...kinds];
}

function kindsOfRule(rule: Json): readonly string[] {
  const { filters } = parseMatch(asObject(field(rule, "match")) ?? {});
  return filters.flatMap(({ resources: { kinds } }) => kinds.length === 0 ? [anyKind] : kinds);
}

function kindsOfConstraint(rule: Json): readonly string[] {
  return asList(field(rule, "resources")).map((resource) => {
    const plural = (asString(resource) ?? "").split("/")[0]!;
    return builtinResource(plural)?.kind ?? anyKind;
  });
}
