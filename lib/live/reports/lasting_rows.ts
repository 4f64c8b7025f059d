import type { CompiledPolicy, Decision, PolicyResult, RuleResult, Snapshot } from "../../engine/mod.ts";
import { asString, field, type JsonObject, textField } from "../../json/mod.ts";
import { clusterWideKind } from "../../policy/mod.ts";
import { changesOthers, exceptionsOf } from "../../rules/mod.ts";
import { isReported } from "./scan_targets.ts";

/**
 * Whether a row stays when its object is scanned again although no scan can find it: the result of an admission or of
 * background work, by a rule that still exists.
 */
export function isLasting(row: JsonObject, { named }: Pick<Snapshot, "named">): boolean {
  const source = textField(row, "source");
  const name = asString(field(row, "rule"));
  return named(textField(row, "policy")).some((compiled) =>
    isSource(source, compiled) && lasts(compiled, name)
  );
}

function isSource(source: string, { policy }: CompiledPolicy): boolean {
  return source === "kyverno"
    ? policy.language === "classic"
    : source === `Kyverno${clusterWideKind(policy.kind)}`;
}

function lasts({ policy, rules }: CompiledPolicy, name: string | undefined): boolean {
  if (policy.language !== "classic") {
    return !policy.background || rules.some(({ type }) => changesOthers(type));
  }
  return rules.some(({ rule, type }) =>
    rule.name === name &&
    (!policy.background || type === "mutate" || changesOthers(type))
  );
}

/** Whether reports show the results of a policy. */
export function isReportedPolicy({ policy }: PolicyResult, { named }: Pick<Snapshot, "named">): boolean {
  const found = named(policy.key).find((each) => each.policy.kind === policy.kind);
  return found !== undefined && isReported(found.policy.document);
}

/** The results of an admission decision that no scan can find: of policies that are not scanned, and of mutations. */
export function unscannedResults(
  { results }: Decision,
  snapshot: Pick<Snapshot, "named"> | undefined,
): PolicyResult[] {
  if (snapshot === undefined) return [];
  return results.flatMap((result) => {
    const { policy } = result;
    const rules = result.rules.filter((rule) => isUnscanned(rule, policy));
    return rules.length === 0 || !isReportedPolicy(result, snapshot) ? [] : [{ policy, rules }];
  });
}

function isUnscanned(rule: RuleResult, { language, background }: PolicyResult["policy"]): boolean {
  const { type, result } = rule;
  if (type === "mutate") {
    const isShown = result !== "skip" || exceptionsOf(rule) !== undefined;
    return isShown && (language === "classic" || !background);
  }
  return !background && (type === "validate" || type === "verifyImages");
}
