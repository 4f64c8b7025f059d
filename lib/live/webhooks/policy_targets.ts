import { type CompiledPolicy, type CompiledRule, isOfWebhook, type WebhookPhase } from "../../engine/mod.ts";
import { asObject } from "../../json/mod.ts";
import type { MatchBlock } from "../../policy/mod.ts";
import type { ServedResource } from "../../ports.ts";
import { targetResources } from "./served_kinds.ts";
import type { Target } from "./target.ts";

const everyOperation = ["CONNECT", "CREATE", "DELETE", "UPDATE"];

/**
 * The resources and operations for which the webhooks of a phase must be called for one policy; empty when none of
 * its rules runs in the phase.
 */
export function policyTargets(
  { policy, rules }: CompiledPolicy,
  phase: WebhookPhase,
  served: readonly ServedResource[],
): Target[] {
  if (!policy.admission) return [];
  const namespaced = policy.namespace !== undefined;
  return rules.filter(({ type }) => isOfWebhook(type, phase)).flatMap((rule) => [
    ...triggerTargets(rule, { served, namespaced }),
    ...(rule.type === "generate" ? generatedTargets(rule, { served, namespaced }) : []),
  ]);
}

interface Setting {
  readonly served: readonly ServedResource[];
  readonly namespaced: boolean;
}

function triggerTargets(rule: CompiledRule, setting: Setting): Target[] {
  const { resources, match } = rule.selector;
  if (resources !== undefined) {
    return resources.flatMap(({ groups, versions, resources, operations, scope }) =>
      groups.flatMap((group) =>
        versions.flatMap((version) =>
          resources.map((resource): Target => ({
            group,
            version,
            resource,
            // Kyverno parity: a generating rule gets every operation on its triggers. Pinned by "webhooks: a
            // GeneratingPolicy gets every operation, without conditions, and fails no request".
            operations: rule.type === "generate" || operations.includes("*") || operations.length === 0
              ? everyOperation
              : operations,
            scope: scope === "Namespaced" ? "Namespaced" : "*",
            // Kyverno parity: pinned by "the rules of a CEL policy are copied unchanged".
            rule: resources.join(" "),
          }))
        )
      )
    );
  }
  const excluded = excludedOperations(rule.rule.exclude);
  return match.filters.flatMap(({ kinds, operations }) => {
    const wanted = (operations.length > 0 ? operations : defaultOperations(rule))
      .filter((operation) => !excluded.has(operation));
    return wanted.length === 0
      ? []
      : kinds.flatMap((kind) => targetResources(kind, setting)).map((target) => ({
        ...target,
        operations: wanted,
      }));
  });
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
    .flatMap((kind) => targetResources(kind, setting))
    .filter(({ resource }) => !resource.includes("/"))
    .map((target) => ({ ...target, operations: ["CREATE", "DELETE", "UPDATE"] }));
}
