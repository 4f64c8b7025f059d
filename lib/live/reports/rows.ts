import type { PolicyResult } from "../../engine/mod.ts";
import type { JsonObject } from "../../json/mod.ts";
import { hasRules } from "../../policy/mod.ts";
import { messageOf, reportedResult, reportResult } from "../../report/mod.ts";
import { exceptionsOf } from "../../rules/mod.ts";

/** Kyverno parity: exceptions are listed without their namespaces. Pinned by tests/live/reports_test.ts. */
function namesOf(exceptions: readonly string[] | undefined): JsonObject {
  if (exceptions === undefined) return {};
  return { exceptions: exceptions.map((key) => key.slice(key.lastIndexOf("/") + 1)).join(",") };
}

/** The rows of an object without those that later rows about the same rules replace. */
export function withoutReplaced(rows: readonly JsonObject[], later: readonly JsonObject[]): JsonObject[] {
  const replaced = new Set(later.map(ruleOf));
  return rows.filter((row) => !replaced.has(ruleOf(row)));
}

function ruleOf({ source, policy, rule }: JsonObject): string {
  return JSON.stringify([source ?? "", policy ?? "", rule ?? ""]);
}

/** Results as rows of a report. The report's scope names the object. */
export function rowsOf(results: readonly PolicyResult[], resource: JsonObject, now: number): JsonObject[] {
  return results.flatMap(({ policy, rules }) =>
    rules.map((ruleResult) => {
      const result = reportedResult(policy, ruleResult);
      const row = reportResult(
        {
          policy,
          rule: ruleResult.rule,
          result,
          message: messageOf(ruleResult, result),
          resource,
          ruleResult,
        },
        { now },
      );
      const { resources: _resources, rule: _rule, properties, ...rest } = row;
      // Kyverno parity: a result of a policy in CEL names no rule. Pinned by "a row names the rule of a classic policy,
      // and exceptions without their namespaces".
      const rule = hasRules(policy.kind) ? ruleResult.rule : ruleResult.reportedAs;
      return {
        ...rest,
        ...(rule !== undefined && { rule }),
        properties: { ...properties as JsonObject, ...namesOf(exceptionsOf(ruleResult)) },
      };
    })
  );
}
