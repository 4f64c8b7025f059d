import { type Diagnostic, didYouMean } from "../diagnostics/mod.ts";
import { hasRules, isRuleNamed } from "../policy/mod.ts";
import { identityOf, isNamed, type ObjectIdentity } from "../apply/mod.ts";
import type { Expectation } from "./test_case.ts";
import type { TestRun } from "./run.ts";

/** The codes of names that the files of a test do not have, by the fields of a result. */
const codes = { policy: "unknown-policy", rule: "unknown-rule", resources: "unknown-resource" } as const;

type NamedField = keyof typeof codes;

/**
 * Remarks on names in a test that its files do not have: policies, rules, objects. Kyverno does not report these, and
 * some of their rows pass, so that a test with a misspelt name would prove nothing.
 */
export function nameRemarks(run: TestRun, expectations: readonly Expectation[]): Diagnostic[] {
  const policies = new Map(run.snapshot.policies.map(({ policy }) => [policy.name, policy]));
  const { resources, targets } = run.input;
  const identities = [
    ...[...resources, ...targets].map(identityOf),
    ...run.input.payloads.map(({ name }) => ({ apiVersion: "", kind: "", namespace: "", name })),
  ];
  const remarks: Diagnostic[] = [];
  for (const expectation of expectations) {
    const { index, rule } = expectation;
    const remark = (field: NamedField, message: string, near: string | undefined): void => {
      const position = run.found.positionOf(["results", index, field]);
      const hint = near === undefined ? undefined : `did you mean "${near}"?`;
      remarks.push({
        severity: "warning",
        code: codes[field],
        message,
        position,
        ...(hint !== undefined && { hint }),
      });
    };
    const name = expectation.policy.split("/").at(-1)!;
    const policy = policies.get(name);
    if (policy === undefined) {
      remark("policy", `The test has no policy "${name}"`, didYouMean(name, policies.keys()));
    } else if (
      rule !== "" && hasRules(policy.kind) && !policy.rules.some((each) => isRuleNamed(each.name, rule))
    ) {
      const near = didYouMean(rule, policy.rules.map((each) => each.name));
      remark("rule", `The policy "${name}" has no rule "${rule}"`, near);
    }
    for (const resource of expectation.resources ?? []) {
      if (identities.some((identity) => isNamed(identity, resource))) continue;
      const near = didYouMean(resource, names(identities));
      remark("resources", `The test has no object "${resource}"`, near);
    }
  }
  return remarks;
}

function names(identities: readonly ObjectIdentity[]): string[] {
  return identities.flatMap(({ kind, namespace, name }) =>
    kind === "" ? [name] : [name, `${namespace}/${name}`]
  );
}
