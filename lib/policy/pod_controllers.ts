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
  return rules.every((rule) => autogenHindrance(rule) === undefined) &&
    rules.some(({ match, exclude }) => kindsOf(match, exclude).some(isControllerKind));
}

/** The property of a rule, in words, that turns autogen off for its whole policy; `undefined` without one. */
export function autogenHindrance({ generate, mutate, match, exclude }: JsonObject): string | undefined {
  if (isGiven(generate)) return "generates";
  if (usesJsonPatch(asObject(mutate))) return "changes objects by patchesJson6902";
  for (const resources of blocks(match, exclude)) {
    const criterion = ["name", "names", "selector", "annotations"].find((name) => hasText(resources[name]));
    if (criterion !== undefined) return `selects by ${criterion}`;
    const kinds = asTexts(resources["kinds"]);
    if (kinds.length > 1 && kinds.some(isPod)) return "names other kinds beside Pod";
  }
  return undefined;
}

/** Whether a kind is Pod or a pod controller, without a version. */
function isControllerKind(kind: string): boolean {
  return kind === "Pod" || Object.hasOwn(podControllers, kind);
}

function usesJsonPatch(mutate: JsonObject | undefined): boolean {
  if (mutate === undefined) return false;
  const patches = mutate["patchesJson6902"];
  if (isGiven(patches) && patches !== "") return true;
  return asList(mutate["foreach"]).filter(isObject).some(usesJsonPatch);
}

function hasText(value: Json | undefined): boolean {
  return isGiven(value) && value !== "" && !(isList(value) && value.length === 0);
}

/** The `resources` of every filter of match or exclude blocks. */
function blocks(...parts: readonly (Json | undefined)[]): JsonObject[] {
  const filters = parts.flatMap((part) => {
    return [part, ...asList(field(part, "any")), ...asList(field(part, "all"))];
  });
  return filters.map((filter) => asObject(field(filter, "resources"))).filter((resources) =>
    resources !== undefined
  );
}

function kindsOf(...parts: readonly (Json | undefined)[]): string[] {
  return blocks(...parts).flatMap((resources) => asTexts(resources["kinds"]));
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
