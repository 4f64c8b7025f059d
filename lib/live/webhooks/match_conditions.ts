import type { CompiledPolicy } from "../../engine/mod.ts";
import { asList, asString, field, isObject, type Json, type JsonObject, textField } from "../../json/mod.ts";
import { builtinKind, formatApiVersion, labelKeyProblem } from "../../kube/mod.ts";
import type { Rule } from "../../policy/mod.ts";
import { apiServerEvaluates, type RuleBody } from "../../rules/mod.ts";
import { isGenerating } from "./families.ts";

/**
 * The match conditions of a policy's webhook, which the API server evaluates before it calls. The list is empty when
 * the API server cannot evaluate one of the conditions, such as one with `variables` or Kyverno's functions: it would
 * refuse the whole configuration. Postern always evaluates all of them itself. It is also empty for a
 * GeneratingPolicy: its webhook must get every change of a trigger, also the change after which the conditions no
 * longer hold, and deletions, for which they cannot be evaluated.
 */
export function policyConditions(compiled: CompiledPolicy): readonly JsonObject[] {
  const { policy } = compiled;
  if (isGenerating(compiled)) return [];
  const written = policy.matchConditions.length > 0 ? policy.matchConditions : celConditions(policy.rules);
  return areUsable(written) ? written : [];
}

/** Whether the API server accepts the conditions of a webhook. */
export function areUsable(conditions: readonly Json[]): boolean {
  return areTogetherUsable(conditions) &&
    conditions.every((condition) =>
      labelKeyProblem(textField(condition, "name")) === undefined &&
      apiServerEvaluates(textField(condition, "expression"))
    );
}

/** The most conditions of a webhook that the API server accepts. */
const mostConditions = 64;

/** Whether the API server accepts conditions together, each of which it accepts: no two may have one name. */
export function areTogetherUsable(conditions: readonly Json[]): boolean {
  const names = new Set(conditions.map((condition) => textField(condition, "name")));
  return names.size === conditions.length && names.size <= mostConditions;
}

/** The first conditions that are usable together, so that Postern's own have room beside them. */
export function usableConditions(conditions: readonly Json[]): readonly Json[] {
  const byName = new Map<string, Json>();
  for (const each of conditions) {
    const name = textField(each, "name");
    if (!byName.has(name) && !name.startsWith("postern-") && areUsable([each])) byName.set(name, each);
  }
  return [...byName.values()].slice(0, mostConditions - addedConditions);
}

/** The most conditions that Postern adds to a webhook: see `unseen_requests.ts` and `shared_requests.ts`. */
const addedConditions = 4;

/**
 * The match conditions of a policy of policies.kyverno.io. A policy that also matches the controllers of Pods has
 * conditions for each kind, which apply to that kind alone. Kyverno parity: names and texts; pinned by "conditions of
 * controllers are about their templates".
 */
function celConditions(rules: readonly Rule<RuleBody>[]): JsonObject[] {
  const specs = rules.flatMap(({ body, generatedFor }) =>
    body.kind === "expressions" ? [{ spec: body.spec, kinds: [...generatedFor ?? []] }] : []
  );
  const [forPods, ...forControllers] = specs;
  if (forPods === undefined) return [];
  const conditions = (spec: JsonObject): JsonObject[] =>
    asList(field(spec, "matchConditions")).filter(isObject);
  if (forControllers.length === 0) return conditions(forPods.spec);
  return [
    ...conditions(forPods.spec).map((each) => ofKinds(each, "autogen-", ["Pod"])),
    // Kyverno parity: the conditions for CronJobs come first. Pinned by "webhooks: conditions of controllers are
    // about their templates".
    ...forControllers.toReversed().flatMap(({ spec, kinds }) =>
      conditions(spec).map((each) =>
        ofKinds(each, kinds.includes("CronJob") ? "autogen-cronjobs-" : "autogen-defaults-", kinds)
      )
    ),
  ];
}

/** A condition that applies to objects of some kinds only. */
function ofKinds(condition: JsonObject, prefix: string, kinds: readonly string[]): JsonObject {
  const tests = kinds.map((kind) => {
    const found = builtinKind(kind);
    const apiVersion = found === undefined ? "" : formatApiVersion(found);
    return `(object.apiVersion == '${apiVersion}' && object.kind =='${kind}')`;
  });
  const expression = asString(condition["expression"]) ?? "";
  return {
    name: `${prefix}${asString(condition["name"]) ?? ""}`,
    expression: `!(${tests.join(" || ")}) || (${expression})`,
  };
}
