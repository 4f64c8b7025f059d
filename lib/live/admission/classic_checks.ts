import { asList, asObject, type Json } from "../../json/mod.ts";
import { formatApiVersion, parseKindSelectors } from "../../kube/mod.ts";
import { type Rule, ruleFilters } from "../../policy/mod.ts";
import type { RuleBody } from "../../rules/mod.ts";
import { targetResources } from "../webhooks/served_kinds.ts";
import type { ServedResource } from "../../ports.ts";
import type { CheckedPolicy, CheckTools, PolicyCheck } from "./check.ts";
import { isScanned, matchedKinds, writtenRules } from "./policy_rules.ts";
import { generateChecks, isPlain, wholeKind } from "./generate_checks.ts";
import { rightsChecks } from "./rights_checks.ts";

/** The checks of a ClusterPolicy or Policy beyond its language, in the order in which problems are reported. */
export const classicChecks: readonly PolicyCheck[] = [
  modeProblems,
  clusterWideKindProblems,
  everyKindProblems,
  subresourceScanProblems,
  targetVariableProblems,
  unservedTargetProblems,
  ...generateChecks,
  ...rightsChecks,
];

function modeProblems({ compiled: { policy } }: CheckedPolicy): string[] {
  return policy.admission || policy.background
    ? []
    : ["disabling both admission and background processing is not allowed"];
}

/**
 * A Policy is about the objects of its namespace. Kyverno parity: a kind counts as the API server spells it, with its
 * preferred version or without; pinned by "a cluster-wide custom kind in a Policy".
 */
function clusterWideKindProblems({ compiled }: CheckedPolicy, { served }: CheckTools): string[] {
  if (compiled.policy.namespace === undefined) return [];
  const wide = served.filter(({ namespaced, preferred }) => !namespaced && preferred);
  return writtenRules(compiled).flatMap((rule) =>
    ruleFilters(rule).flatMap(({ resources }) => resources.kinds).filter((text) =>
      wide.some((each) => text === each.kind || text === `${formatApiVersion(each)}/${each.kind}`)
    ).map((kind) =>
      `rule ${rule.name}: Cluster wide resource '${kind}' not allowed in namespaced policy ` +
      "(make the policy a ClusterPolicy)"
    )
  );
}

/**
 * A rule about every kind looks at metadata alone, and a scan does not read every object of a cluster. Kyverno parity:
 * pinned by "a rule about every kind".
 */
function everyKindProblems({ compiled }: CheckedPolicy): string[] {
  return writtenRules(compiled).flatMap((rule) =>
    ruleFilters(rule).map(({ resources }) => resources.kinds).filter((kinds) => kinds.includes("*")).flatMap(
      (kinds) => {
        const problems: string[] = [];
        if (compiled.policy.background) {
          problems.push(
            "wildcard policy not allowed in background mode. Set spec.background=false to disable it",
          );
        }
        if (kinds.length > 1) problems.push("wildcard policy can not deal with more than one kind");
        const { kind } = rule.body;
        if (kind === "generate" || kind === "verifyImages" || kind === "foreach") {
          problems.push("wildcard policy does not support rule type");
        }
        if (readsMoreThanMetadata(rule)) {
          problems.push(
            "policy can only deal with the metadata field of the resource if the rule does not match any kind",
          );
        }
        return problems.map((problem) => `rule ${rule.name}: ${problem}`);
      },
    )
  );
}

/** Whether a pattern or a merged patch of a rule names other fields of an object than its metadata. */
function readsMoreThanMetadata({ body }: Rule<RuleBody>): boolean {
  return shapesIn(body).some((shape) => Object.keys(asObject(shape) ?? {}).some((key) => key !== "metadata"));
}

/** The patterns of a rule, or the patch that it merges. */
function shapesIn(body: RuleBody): readonly Json[] {
  switch (body.kind) {
    case "pattern":
      return [body.pattern];
    case "anyPattern":
      return asList(body.patterns);
    case "patch":
      return body.change.patch.form === "merge" ? [body.change.patch.merge] : [];
    default:
      return [];
  }
}

/** A scan reads stored objects: they have no subresource. */
function subresourceScanProblems({ compiled }: CheckedPolicy, { served }: CheckTools): string[] {
  if (!compiled.policy.background) return [];
  return writtenRules(compiled).filter(isScanned).flatMap((rule) => {
    const ofSubresources = rule.section === "validate"
      ? matchedKinds(rule).filter((kind) => isOfSubresource(kind, served))
      : [];
    return ofSubresources.map((kind) =>
      `rule ${rule.name}: a background scan does not see ${kind}; set spec.background to false`
    );
  });
}

/**
 * Whether a kind of a policy means a subresource of a kind that is served: by its name (`Pod/exec`), or by the kind of
 * its body (`Scale`).
 */
function isOfSubresource(text: string, served: readonly ServedResource[]): boolean {
  const isServed = (kind: string): boolean => targetResources(kind, { served, namespaced: false }).length > 0;
  return parseKindSelectors(text).some(({ kind, subresource }) =>
    subresource === ""
      ? kind === text && !isServed(text) &&
        served.some(({ subresources }) => subresources.some((each) => each.kind === kind))
      : isServed(text.slice(0, -subresource.length - 1))
  );
}

/** `target` has a value only inside the targets of a rule. */
function targetVariableProblems({ compiled }: CheckedPolicy): string[] {
  return writtenRules(compiled).flatMap((rule) => {
    const written = JSON.stringify([rule.context, rule.preconditions ?? null]);
    return rule.body.kind === "mutateExisting" && /(\{\{|")\s*target\./.test(written)
      ? [
        `rule ${rule.name}: "target" is not known in the context and preconditions of a rule; use those of its targets`,
      ]
      : [];
  });
}

/**
 * Kyverno parity: targets are of kinds that are served, in the version that they name; those of loops are not compared.
 * Pinned by "a target of a kind that is not served".
 */
function unservedTargetProblems({ compiled }: CheckedPolicy, { served }: CheckTools): string[] {
  if (served.length === 0) return []; // The API server did not list its resources.
  return writtenRules(compiled).flatMap(({ name, body }) => {
    if (body.kind !== "mutateExisting" || body.change.by === "foreach") return [];
    return body.targets.flatMap(({ apiVersion, kind }) => {
      const whole = wholeKind(kind);
      if (!isPlain(kind) || apiVersion.includes("{{")) return [];
      const isServed = served.some((each) =>
        each.kind === whole && isOfVersion(formatApiVersion(each), apiVersion)
      );
      return isServed ? [] : [`rule ${name}: failed to get GVR for kind ${apiVersion}/${whole}`];
    });
  });
}

/** Whether a target's apiVersion, perhaps with a wildcard at its end, means a group and version. */
function isOfVersion(served: string, apiVersion: string): boolean {
  return apiVersion === "" || served === apiVersion ||
    apiVersion.includes("*") && served.startsWith(apiVersion.replace(/\*$/, ""));
}
