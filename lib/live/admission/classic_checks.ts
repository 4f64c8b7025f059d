import type { CompiledPolicy } from "../../engine/mod.ts";
import { asString, field } from "../../json/mod.ts";
import { hasWildcard, parseKindSelectors } from "../../kube/mod.ts";
import type { Rule } from "../../policy/mod.ts";
import type { RuleBody } from "../../rules/mod.ts";
import { longestTimeout } from "../webhooks/configuration_kinds.ts";
import { targetResources } from "../webhooks/served_kinds.ts";
import type { CheckedPolicy, CheckTools, PolicyCheck } from "./check.ts";
import { generateChecks } from "./generate_checks.ts";
import { rightsChecks } from "./rights_checks.ts";

const subjectKinds = ["User", "Group", "ServiceAccount"];

/** The checks of a ClusterPolicy or Policy beyond its language, in the order in which problems are reported. */
export const classicChecks: readonly PolicyCheck[] = [
  hasMode,
  hasTimeout,
  hasSubjectKinds,
  usesCelPreconditions,
  isServed,
  fitsBackground,
  readsTargetsInTargets,
  hasTargets,
  ...generateChecks,
  ...rightsChecks,
];

function hasMode({ compiled: { policy } }: CheckedPolicy): string[] {
  return policy.admission || policy.background
    ? []
    : ["disabling both admission and background processing is not allowed"];
}

/** Kubernetes API: a webhook answers within 1 to 30 seconds. */
function hasTimeout({ compiled: { policy } }: CheckedPolicy): string[] {
  const seconds = policy.timeoutSeconds;
  return seconds === undefined || seconds >= 1 && seconds <= longestTimeout
    ? []
    : [`the timeout must be between 1 and ${longestTimeout} seconds, it is ${seconds}`];
}

function hasSubjectKinds({ compiled }: CheckedPolicy): string[] {
  return writtenRules(compiled).flatMap((rule) =>
    filtersOf(rule).flatMap(({ subjects }) => subjects).flatMap((subject) => {
      const kind = asString(field(subject, "kind")) ?? "";
      return subjectKinds.includes(kind)
        ? []
        : [`rule ${rule.name}: a subject must be a ${subjectKinds.join(", ")}, not "${kind}"`];
    })
  );
}

/** Kyverno parity: pinned by "CEL preconditions of a rule without CEL". */
function usesCelPreconditions({ compiled }: CheckedPolicy): string[] {
  return writtenRules(compiled).filter(({ body, celPreconditions }) =>
    body.kind !== "cel" && celPreconditions.length > 0
  ).map(({ name }) => `rule ${name}: celPrecondition can only be used with validate.cel`);
}

/** A kind that the cluster does not serve is most often misspelt. */
function isServed({ compiled }: CheckedPolicy, { served }: CheckTools): string[] {
  if (served.length === 0) return []; // The API server did not list its resources.
  const namespaced = compiled.policy.namespace !== undefined;
  return writtenRules(compiled).flatMap((rule) =>
    kindsOf(rule).filter((kind) =>
      !parseKindSelectors(kind).some((selector) => hasWildcard(selector.kind)) &&
      targetResources(kind, { served, namespaced }).length === 0
    )
      .map((kind) => `rule ${rule.name}: the cluster serves no kind ${kind}`)
  );
}

/** A scan reads stored objects: they have no user and no subresource. */
function fitsBackground({ compiled }: CheckedPolicy): string[] {
  if (!compiled.policy.background) return [];
  return writtenRules(compiled).filter(isScanned).flatMap((rule) => {
    const ofSubresources = kindsOf(rule).flatMap(parseKindSelectors).filter(({ subresource }) =>
      subresource !== ""
    );
    const byUser = filtersOf(rule).some(({ subjects, roles, clusterRoles }) =>
      subjects.length + roles.length + clusterRoles.length > 0
    );
    return [
      ...ofSubresources.map(({ text }) =>
        `rule ${rule.name}: a background scan does not see ${text}; set spec.background to false`
      ),
      ...(byUser
        ? [
          `rule ${rule.name}: invalid variable used at path match: a background scan has no user; set spec.background to false`,
        ]
        : []),
    ];
  });
}

/** Rules that a background scan evaluates. */
function isScanned({ body }: Rule): boolean {
  return !["mutateForeach", "mutateExisting", "generate"].includes(body.kind);
}

/** `target` has a value only inside the targets of a rule. */
function readsTargetsInTargets({ compiled }: CheckedPolicy): string[] {
  return writtenRules(compiled).flatMap((rule) => {
    const written = JSON.stringify([rule.context, rule.preconditions ?? null]);
    return rule.body.kind === "mutateExisting" && /(\{\{|")\s*target\./.test(written)
      ? [
        `rule ${rule.name}: "target" is not known in the context and preconditions of a rule; use those of its targets`,
      ]
      : [];
  });
}

function hasTargets({ compiled }: CheckedPolicy): string[] {
  const { mutateExistingOnPolicyUpdate } = compiled.policy;
  return writtenRules(compiled).filter(({ body }) =>
    (body.kind === "patch" || body.kind === "mutateForeach") &&
    (mutateExistingOnPolicyUpdate || body.onPolicyUpdate)
  ).map(({ name }) => `rule ${name}: mutateExistingOnPolicyUpdate needs mutate.targets`);
}

/** The rules that the user wrote. */
export function writtenRules({ policy }: CompiledPolicy): readonly Rule<RuleBody>[] {
  return policy.rules.filter(({ generatedFor }) => generatedFor === undefined);
}

function filtersOf({ match, exclude }: Rule): Rule["match"]["filters"] {
  return [...match.filters, ...exclude?.filters ?? []];
}

function kindsOf(rule: Rule): string[] {
  return filtersOf(rule).flatMap(({ resources }) => resources.kinds).filter((kind) =>
    !hasWildcard(kind.split("/")[0]!) || kind.includes("/")
  );
}
