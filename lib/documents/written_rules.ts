import { asList, asObject, dig, field, isGiven, type Json, type JsonObject } from "../json/mod.ts";
import { autogenRules } from "./autogen.ts";
import type { Policy } from "../policy/mod.ts";

/** A ClusterPolicy or Policy, of which only what its author wrote is read. */
type WrittenPolicy = Pick<Policy, "document" | "annotations">;

/** The number of rules of each section, as the author wrote them: without autogen rules. */
export interface RuleCount {
  readonly validate: number;
  readonly mutate: number;
  readonly generate: number;
  readonly verifyImages: number;
}

/** Counts the rules of a policy by their sections. */
export function countRules(policy: WrittenPolicy): RuleCount {
  const rules = writtenRules(policy);
  const count = (section: string): number => rules.filter((rule) => isGiven(field(rule, section))).length;
  return {
    validate: count("validate"),
    mutate: count("mutate"),
    generate: count("generate"),
    verifyImages: rules.filter((rule) => asList(field(rule, "verifyImages")).length > 0).length,
  };
}

/** The autogen rules of a policy, each as the author could have written it. */
export function autogenTexts(policy: WrittenPolicy): readonly JsonObject[] {
  const sources = writtenRules(policy).map((rule, index) => ({
    rule: asObject(rule) ?? {},
    index,
    generatedFor: undefined,
  }));
  return autogenRules(sources, policy.annotations).map(({ rule }) => rule);
}

function writtenRules({ document }: Pick<Policy, "document">): readonly Json[] {
  return asList(dig(document, "spec", "rules"));
}
