import {
  asList,
  asObject,
  asTexts,
  field,
  isGiven,
  isList,
  isObject,
  type Json,
  type JsonObject,
} from "../json/mod.ts";
import { parseKindSelectors } from "../kube/mod.ts";

/** The annotation of a policy with the pod controllers for which rules are derived; `none` for no kind. */
export const controllersAnnotation = "pod-policies.kyverno.io/autogen-controllers";

/** The kinds with a Pod template, with the API version that autogen rules name. */
export const podControllers: Readonly<Record<string, string>> = {
  CronJob: "batch/v1/CronJob",
  DaemonSet: "apps/v1/DaemonSet",
  Deployment: "apps/v1/Deployment",
  Job: "batch/v1/Job",
  ReplicaSet: "apps/v1/ReplicaSet",
  ReplicationController: "v1/ReplicationController",
  StatefulSet: "apps/v1/StatefulSet",
};

/** Whether autogen applies to the policy as a whole. */
export function isForControllers(rules: readonly JsonObject[]): boolean {
  let needed = false;
  for (const rule of rules) {
    const mutate = asObject(rule["mutate"]);
    if (isGiven(rule["generate"]) || usesJsonPatch(mutate)) return false;
    for (const resources of [...blocks(rule["match"]), ...blocks(rule["exclude"])]) {
      for (const name of ["name", "names", "selector", "annotations"]) {
        const value = resources[name];
        if (isGiven(value) && value !== "" && !(isList(value) && value.length === 0)) return false;
      }
      const kinds = asTexts(resources["kinds"]);
      if (kinds.length > 1 && kinds.some(isPod)) return false;
      if (kinds.some((kind) => kind === "Pod" || Object.hasOwn(podControllers, kind))) needed = true;
    }
  }
  return needed;
}

function usesJsonPatch(mutate: JsonObject | undefined): boolean {
  if (mutate === undefined) return false;
  if (hasText(mutate["patchesJson6902"])) return true;
  return asList(mutate["foreach"]).filter(isObject).some(usesJsonPatch);
}

function hasText(value: Json | undefined): boolean {
  return isGiven(value) && value !== "";
}

/** The `resources` of every filter of a match or exclude block. */
function blocks(match: Json | undefined): JsonObject[] {
  const filters = [match, ...asList(field(match, "any")), ...asList(field(match, "all"))];
  return filters.map((filter) => asObject(field(filter, "resources"))).filter((resources) =>
    resources !== undefined
  );
}

function kindsOf(match: Json | undefined): string[] {
  return blocks(match).flatMap((resources) => asTexts(resources["kinds"]));
}

/**
 * Whether a kind in a match block selects Pods, so that the rule is also made for pod controllers. Kyverno parity: a
 * subresource such as `Pod/status` counts as a Pod here. Pinned by "a subresource of Pods is a Pod too, beside a rule
 * about Pods".
 */
export function isPod(kind: string): boolean {
  return parseKindSelectors(kind).some((selector) => selector.kind === "Pod");
}

/** Whether a rule matches Pods, and excludes no kinds but Pods. */
export function isAboutPods(rule: JsonObject): boolean {
  if (!kindsOf(rule["match"]).some(isPod)) return false;
  const excluded = kindsOf(rule["exclude"]);
  return excluded.length === 0 || excluded.some(isPod);
}
