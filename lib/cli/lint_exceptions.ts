import { type Diagnostic, didYouMean, replacing, withPosition } from "../diagnostics/mod.ts";
import type { Snapshot } from "../engine/mod.ts";
import type { DocumentPath } from "../json/mod.ts";
import { matchWildcard } from "../kube/mod.ts";
import {
  type CelException,
  clusterWideKind,
  isCelException,
  isRuleNamed,
  parseCelException,
  type PolicyException,
} from "../policy/mod.ts";

type Policies = Snapshot["policies"];

/**
 * Remarks on exceptions that name a policy or a rule that the files do not have: they exempt nothing from these. There
 * are none when the files have no policies, which may be in other files.
 */
export function strayExceptions({ policies, exceptions, others }: Snapshot): Diagnostic[] {
  if (policies.length === 0) return [];
  return [
    ...exceptions.flatMap((exception) => strayTargets(exception, policies)),
    ...others.filter(isCelException).flatMap((located) =>
      strayReferences(parseCelException(located), policies)
    ),
  ];
}

function strayTargets({ targets, key, locate }: PolicyException, policies: Policies): Diagnostic[] {
  const classic = policies.filter(({ policy }) => policy.language === "classic");
  return targets.flatMap(({ policyName, ruleNames }, index) => {
    const path = ["spec", "exceptions", index];
    const named = classic.filter(({ policy }) => policy.key === policyName);
    const keys = classic.map(({ policy }) => policy.key);
    if (named.length === 0) {
      return stray(key, `policy "${policyName}"`, {
        name: policyName,
        names: keys,
        path: [...path, "policyName"],
        locate,
      });
    }
    const names = named.flatMap(({ policy }) => policy.rules.map((rule) => rule.name));
    return ruleNames.flatMap((name, at) =>
      names.some((rule) => matchWildcard(name, rule) || isRuleNamed(rule, name))
        ? []
        : stray(key, `rule "${name}" in policy "${policyName}"`, {
          name,
          names,
          path: [...path, "ruleNames", at],
          locate,
        })
    );
  });
}

function strayReferences({ references, key, locate }: CelException, policies: Policies): Diagnostic[] {
  return references.flatMap(({ name, kind }, index) => {
    const ofKind = policies.filter(({ policy }) => clusterWideKind(policy.kind) === clusterWideKind(kind));
    const names = ofKind.map(({ policy }) => policy.name);
    const path = ["spec", "policyRefs", index, "name"];
    return names.includes(name) ? [] : stray(key, `${kind} "${name}"`, { name, names, path, locate });
  });
}

function stray(
  exception: string,
  what: string,
  { name, names, path, locate }: {
    readonly name: string;
    readonly names: readonly string[];
    readonly path: DocumentPath;
    readonly locate: PolicyException["locate"];
  },
): Diagnostic[] {
  const meant = didYouMean(name, names);
  return [withPosition({
    severity: "warning",
    code: "stray-exception",
    message: `Exception "${exception}" is about ${what}, which is not among these files`,
    hint: meant === undefined ? "check the name, or lint the policy's file too" : `did you mean "${meant}"?`,
    ...replacing(name, meant),
    path,
  }, locate)];
}
