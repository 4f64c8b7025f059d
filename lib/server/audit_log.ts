import { type Decision, isFailOrError, type PolicyRequest } from "../engine/mod.ts";
import type { Log } from "../ports.ts";

/** The most rules that one line names; it counts the others. */
const maxRules = 20;

/**
 * Writes the failures of audit rules: one line a request, with the object and the failed rules. Messages of rules
 * about Secrets are left out, because they may quote the Secret.
 */
export function logAudit(log: Log, request: PolicyRequest, { results }: Decision): void {
  const found = results.flatMap(({ policy, rules }) =>
    rules.filter(isFailOrError).map((rule) => ({ policy, rule }))
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
