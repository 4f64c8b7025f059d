import { asList, asObject, asTexts, dig, field, type Json } from "../json/mod.ts";
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
  const groups = asTexts(field(rule, "apiGroups"));
  return asTexts(field(rule, "resources")).map((resource) => {
    const kind = builtinResource(resource.split("/")[0]!);
    // In another group, a resource of this name may have another kind.
    return kind !== undefined && groups.length > 0 && groups.every((group) => group === kind.group)
      ? kind.kind
      : anyKind;
  });
}
