import { asList, field, type JsonObject } from "../../json/mod.ts";
import { imageProblems } from "../../policy/mod.ts";
import type { RuleTools } from "../rule_kind.ts";
import { neverPasses } from "./never_passes.ts";

/** Reports problems for which Kyverno refuses the entries of a rule, and parts that can never pass. */
export function reportImageProblems(entries: readonly JsonObject[], tools: RuleTools): void {
  for (const problem of imageProblems(entries, tools.policy.failureAction)) tools.report(problem);
  if (mutatesExtracted(entries, tools.rule.imageExtractors)) {
    tools.report({
      severity: "error",
      code: "bad-image-verification",
      message: "jmespath may not be used in an image extractor when mutating digests with verify images",
      path: ["imageExtractors"],
    });
  }
  for (const [index, entry] of entries.entries()) {
    for (const warning of neverPasses(entry, ["verifyImages", index])) tools.report(warning);
  }
  if (tools.policy.matchConditions.length > 0 && entries.some((entry) => entry["required"] !== false)) {
    tools.report({
      severity: "warning",
      code: "never-passes",
      message: "A policy with match conditions verifies no images at admission, so every image is refused",
      hint: "select objects under match, or set required: false",
      path: ["verifyImages"],
    });
  }
}

function mutatesExtracted(entries: readonly JsonObject[], extractors: JsonObject | undefined): boolean {
  const queries = Object.values(extractors ?? {}).flatMap(asList).some((each) =>
    Boolean(field(each, "jmesPath"))
  );
  return queries && entries.some((entry) => entry["mutateDigest"] !== false);
}
