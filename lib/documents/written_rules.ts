import { asList, field, isGiven, isObject, type Json, type JsonObject } from "../json/mod.ts";
import { autogenRules, type RuleSource } from "./autogen.ts";
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

/** The rules of a spec as its author wrote them. Items that are not objects are left out. */
export function writtenRules(spec: Json | undefined): RuleSource[] {
  return asList(field(spec, "rules")).flatMap((rule, index) =>
    isObject(rule) ? [{ rule, path: ["spec", "rules", index], generatedFor: undefined }] : []
  );
}

/** Counts the rules of a policy by their sections. */
export function countRules({ document }: WrittenPolicy): RuleCount {
  const rules = writtenRules(document["spec"]);
  const count = (section: string): number => rules.filter(({ rule }) => isGiven(rule[section])).length;
  return {
    validate: count("validate"),
    mutate: count("mutate"),
    generate: count("generate"),
    verifyImages: rules.filter(({ rule }) => asList(rule["verifyImages"]).length > 0).length,
  };
}

/** The autogen rules of a policy, each as the author could have written it. */
export function autogenTexts({ document, annotations }: WrittenPolicy): readonly JsonObject[] {
  return autogenRules(writtenRules(document["spec"]), annotations).map(({ rule }) => rule);
}
