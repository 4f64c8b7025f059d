import type { Decision, PolicyRequest } from "../engine/mod.ts";
import type { Log } from "../ports.ts";

/** Rules that one line names; of more, the number is given. */
const maxRules = 20;

/**
 * Writes what audit rules found about a request: one line a request, which says what the request was about and which
 * rules failed. Messages of rules about Secrets are left out: they may quote what the Secret holds.
 */
export function logAudit(log: Log, request: PolicyRequest, { results }: Decision): void {
  const found = results.flatMap(({ policy, rules }) =>
    rules.filter(({ result }) => result === "fail" || result === "error").map((rule) => ({ policy, rule }))
  );
  if (found.length === 0) return;
  const { uid, operation, kind, namespace, name, dryRun } = request;
  log.write("info", "audit", {
    uid,
    operation,
    kind,
    namespace,
    name,
    dryRun,
    rules: found.slice(0, maxRules).map(({ policy, rule }) => ({
      policy: policy.key,
      rule: rule.rule,
      result: rule.result,
      ...(kind !== "Secret" && { message: rule.message }),
    })),
    ...(found.length > maxRules && { more: found.length - maxRules }),
  });
}
