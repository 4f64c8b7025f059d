import { asList, asObject, asTexts, dig, field, type JsonObject } from "../../json/mod.ts";
import type { RuleSelector } from "../../match/mod.ts";
import { inBothScopes } from "../../policy/mod.ts";
import { GeneratingBody, synchronizes } from "./generating_body.ts";
import type { PolicyKind } from "./policy_kind.ts";

/**
 * `GeneratingPolicy` of policies.kyverno.io. The objects that `generator.Apply` and templates return become effects.
 * Once the trigger no longer matches, a synchronizing policy plans the deletion of the same objects.
 */
export const generatingPolicy: PolicyKind = {
  ...inBothScopes("GeneratingPolicy"),
  type: "generate",
  name: "generating policy",
  section: "generate",
  ruleName: "policy",
  variants: () => [],
  constraints: (spec) => asObject(field(spec, "matchConstraints")),
  adjustSelector: (spec, selector) =>
    synchronizes(spec) && !matchesDeletions(spec) ? alsoDeletions(selector) : selector,
  compile: (spec, tools) => new GeneratingBody(spec, tools),
};

/**
 * Whether the policy acts for deletions. Kyverno parity: then no deletion of a trigger withdraws what was generated for
 * it, whichever rule matches the trigger, and the wildcard for operations does not count. Pinned by "the deletion of a
 * trigger withdraws what a GeneratingPolicy made for it, unless the policy names DELETE".
 */
function matchesDeletions(spec: JsonObject): boolean {
  const rules = asList(dig(spec, "matchConstraints", "resourceRules"));
  return rules.some((rule) => asTexts(field(rule, "operations")).includes("DELETE"));
}

/** A synchronizing policy must see deletions of triggers, although it generates nothing for them. */
function alsoDeletions(selector: RuleSelector): RuleSelector {
  const filters = selector.match.filters.map((filter) =>
    filter.operations.includes("DELETE") ? filter : { ...filter, operations: [] }
  );
  const resources = (selector.resources ?? []).map((rule) => ({
    ...rule,
    operations: [...new Set([...rule.operations, "DELETE"])],
  }));
  const select: RuleSelector["select"] = (candidate) => {
    const selection = selector.select(candidate);
    if (selection.selected || candidate.operation !== "DELETE") return selection;
    const former = selector.select({ ...candidate, operation: "UPDATE" });
    return former.selected ? former : selector.select({ ...candidate, operation: "CREATE" });
  };
  return { ...selector, match: { ...selector.match, filters }, resources, select };
}
