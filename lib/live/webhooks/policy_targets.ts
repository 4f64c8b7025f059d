import { type CompiledPolicy, type CompiledRule, isOfWebhook, type WebhookPhase } from "../../engine/mod.ts";
import { asObject } from "../../json/mod.ts";
import { resourcesOfRule } from "../../match/mod.ts";
import type { MatchBlock } from "../../policy/mod.ts";
import type { ServedResource } from "../../ports.ts";
import { type TargetOptions, targetResources } from "./served_kinds.ts";
import { everyOperation, type Target, targetsInNamespace } from "./target.ts";

/**
 * The served resources, and the operations, that the rules of a policy in a phase are about; empty when none of its
 * rules runs in the phase.
 */
export function policyTargets(
  compiled: CompiledPolicy,
  phase: WebhookPhase,
  served: readonly ServedResource[],
): Target[] {
  return targetsOf(compiled, phase, { served });
}

/**
 * The resources and operations for which the webhooks of a phase must be called for one policy: its targets, and the
 * resources that its kinds will have which are not served yet.
 */
export function webhookTargets(
  compiled: CompiledPolicy,
  phase: WebhookPhase,
  served: readonly ServedResource[],
): Target[] {
  return targetsOf(compiled, phase, { served, expectsUnserved: true });
}

function targetsOf(
  { policy, rules }: CompiledPolicy,
  phase: WebhookPhase,
  kinds: Pick<TargetOptions, "served" | "expectsUnserved">,
): Target[] {
  if (!policy.admission) return [];
  const ofPhase = rules.filter(({ type }) => isOfWebhook(type, phase));
  const setting = {
    ...kinds,
    namespaced: policy.namespace !== undefined,
    hasTooManyKinds: ofPhase.reduce((sum, rule) => sum + numberOfKinds(rule), 0) > mostKinds,
  };
  const targets = new Map<string, Target>();
  for (const rule of ofPhase) {
    for (const target of triggerTargets(rule, setting)) targets.set(keyOf(target), target);
    if (rule.type !== "generate") continue;
    for (const target of generatedTargets(rule, setting)) targets.set(keyOf(target), target);
  }
  return [...targets.values()];
}

/** The most kinds of a policy that are looked up among the served ones. A policy that names more is about all. */
const mostKinds = 500;

function numberOfKinds({ selector: { match } }: CompiledRule): number {
  return match.filters.reduce((sum, { kinds }) => sum + kinds.length, 0);
}

/** Many kinds with wildcards stand for the same resources. */
function keyOf({ group, version, resource, scope, operations, rule }: Target): string {
  return [group, version, resource, scope, operations.join(), rule ?? ""].join("\n");
}

interface Setting extends TargetOptions {
  readonly hasTooManyKinds: boolean;
}

function triggerTargets(rule: CompiledRule, setting: Setting): Target[] {
  const { resources, match } = rule.selector;
  if (resources !== undefined) {
    return resources.flatMap((each) => {
      const { operations, scope } = each;
      const targets = resourcesOfRule(each).map((resource): Target => ({
        ...resource,
        // Kyverno parity: a generating rule gets every operation on its triggers. Pinned by "webhooks: a
        // GeneratingPolicy gets every operation, without conditions, and fails no request".
        operations: rule.type === "generate" || operations.includes("*") || operations.length === 0
          ? everyOperation
          : operations,
        scope: scope === "Namespaced" || scope === "Cluster" && setting.namespaced ? scope : "*",
        // Kyverno parity: pinned by "the rules of a CEL policy are copied unchanged".
        rule: each.resources.join(" "),
      }));
      return setting.namespaced ? targets.flatMap(targetsInNamespace) : targets;
    });
  }
  const excluded = excludedOperations(rule.rule.exclude);
  return match.filters.flatMap(({ kinds: written, operations }) => {
    const kinds = setting.hasTooManyKinds ? ["*/*"] : written;
    const wanted = (operations.length > 0 ? operations : defaultOperations(rule))
      .filter((operation) => !excluded.has(operation));
    return wanted.length === 0
      ? []
      // Kyverno parity: without a version, the API server sends an object in the version in which its user wrote it,
      // and not converted. Pinned by "of several versions the webhook gets each".
      : kinds.flatMap((kind) => resourcesInScope(kind, { ...setting, everyVersion: true })).map((target) => ({
        ...target,
        operations: wanted,
      }));
  });
}

/** The resources of a kind; for a policy of a namespace those in namespaces: see {@link targetsInNamespace}. */
function resourcesInScope(kind: string, options: TargetOptions): ReturnType<typeof targetResources> {
  const resources = targetResources(kind, options);
  return options.namespaced ? resources.filter(({ scope }) => scope === "Namespaced") : resources;
}

function defaultOperations({ type }: CompiledRule): readonly string[] {
  return type === "mutate" || type === "verifyImages" ? ["CREATE", "UPDATE"] : everyOperation;
}

/** The operations that `exclude.any` removes completely: filters with only kinds or operations. */
function excludedOperations(exclude: MatchBlock | undefined): Set<string> {
  if (exclude?.form !== "any") return new Set();
  return new Set(exclude.filters.flatMap(({ written, resources }) => {
    const names = Object.keys(asObject(written["resources"]) ?? {});
    const onlyOperations = Object.keys(written).length === 1 && names.every((name) => name === "operations");
    return onlyOperations ? resources.operations : [];
  }));
}

/** The targets for changes of generated objects and their sources: a synchronizing rule must see them. */
function generatedTargets({ body: { downstream } }: CompiledRule, setting: Setting): Target[] {
  if (downstream?.synchronize !== true) return [];
  return downstream.types.map(({ apiVersion, kind }) => apiVersion === "" ? kind : `${apiVersion}/${kind}`)
    .filter((kind) => !kind.includes("{{"))
    .flatMap((kind) => resourcesInScope(kind, setting))
    .filter(({ resource }) => !resource.includes("/"))
    .map((target) => ({ ...target, operations: ["CREATE", "DELETE", "UPDATE"] }));
}
