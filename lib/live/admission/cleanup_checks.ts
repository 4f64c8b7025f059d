import type { CompileOptions } from "../../engine/mod.ts";
import { asObject, asTexts, field, type Json, textField } from "../../json/mod.ts";
import { hasWildcard, namespaceOf, parseKindSelectors } from "../../kube/mod.ts";
import { writtenFilters, writtenUserCriteria } from "../../policy/mod.ts";
import type { ServedResource } from "../../ports.ts";
import { cleanupMistakes, grantCleanupRights } from "../cleanup/cleanup_policy.ts";
import { scheduleProblem } from "../cleanup/schedule.ts";
import { cleanupRefusals } from "./cleanup_refusals.ts";
import { targetResources } from "../webhooks/served_kinds.ts";
import type { CheckedObject, CheckTools } from "./check.ts";

/** The problems of a CleanupPolicy or ClusterCleanupPolicy. */
export async function cleanupProblems(
  { object }: CheckedObject,
  tools: CheckTools,
  compiling: CompileOptions,
): Promise<string[]> {
  const spec = asObject(object["spec"]) ?? {};
  const problem = scheduleProblem(textField(spec, "schedule"), { mostFields: 5 });
  if (problem !== undefined) return [`spec.schedule: ${problem}`];
  if (writtenUserCriteria(spec).length > 0) {
    return ["a cleanup policy cannot match by users and roles: a cleanup has no user"];
  }
  const namespace = namespaceOf(object);
  const problems = [...cleanupRefusals(object), ...cleanupMistakes(object, compiling)];
  for (const { filter } of writtenFilters(spec, "match")) {
    const names = namesOf(filter), resources = field(filter, "resources");
    if (namespace !== "") problems.push(...namespaceProblems(resources));
    for (const kind of asTexts(field(resources, "kinds"))) {
      const unusable = kindProblem(kind, { namespace, served: tools.served });
      if (unusable !== undefined) problems.push(unusable);
      else problems.push(...await rightsProblems(kind, { names, namespace }, tools));
    }
  }
  for (const { filter } of namespace === "" ? [] : writtenFilters(spec, "exclude")) {
    const resources = field(filter, "resources");
    problems.push(...namespaceProblems(resources));
    for (const kind of asTexts(field(resources, "kinds"))) {
      if (!hasWildcard(kind) && isClusterWide(kind, tools.served)) problems.push(clusterWide(kind));
    }
  }
  return problems;
}

/** A CleanupPolicy is about one namespace. */
function namespaceProblems(resources: Json | undefined): string[] {
  return asTexts(field(resources, "namespaces")).length === 0
    ? []
    : ["a CleanupPolicy is about its own namespace, and cannot name namespaces"];
}

function clusterWide(kind: string): string {
  return `${kind} is a cluster-wide kind: a CleanupPolicy is about objects of its namespace`;
}

function isClusterWide(kind: string, served: readonly ServedResource[]): boolean {
  const targets = targetResources(kind, { served, namespaced: false });
  return targets.length > 0 && targets.every(({ scope }) => scope !== "Namespaced");
}

/** Why objects of a kind cannot be cleaned up; `undefined` when they can. */
function kindProblem(
  kind: string,
  { namespace, served }: { readonly namespace: string; readonly served: readonly ServedResource[] },
): string | undefined {
  const selectors = parseKindSelectors(kind);
  if (selectors.every((selector) => selector.kind === "*")) {
    return "a cleanup policy names its kinds, not *: it would delete everything";
  }
  if (selectors.some((selector) => hasWildcard(selector.kind))) {
    return `failed to get GVR for kind ${kind}: a cleanup policy names its kinds without wildcards`;
  }
  if (served.length === 0) return undefined; // The API server did not list its resources.
  const targets = targetResources(kind, { served, namespaced: false });
  if (targets.length === 0) return `failed to get GVR for kind ${kind}`;
  const whole = targets.filter(({ resource }) => !resource.includes("/"));
  if (whole.length === 0) return `a cleanup deletes whole objects, not ${kind}`;
  return namespace !== "" && whole.every(({ scope }) => scope !== "Namespaced")
    ? clusterWide(kind)
    : undefined;
}

interface Reach {
  readonly names: readonly (string | undefined)[];
  /** Empty for all namespaces. */
  readonly namespace: string;
}

async function rightsProblems(kind: string, reach: Reach, tools: CheckTools): Promise<string[]> {
  const lacking = await lackingVerbs(kind, reach, tools);
  if (lacking.length === 0) return [];
  return [
    `${tools.accounts.cleanup} has no permission to ${
      lacking.join(", ")
    } kind ${kind}; ${grantCleanupRights}`,
  ];
}

/**
 * The verbs that the cleanup controller's account lacks for a kind. An administrator may have granted them for the
 * matched names only.
 */
async function lackingVerbs(
  kind: string,
  { names, namespace }: Reach,
  { served, accounts, hasRight }: CheckTools,
): Promise<string[]> {
  const targets = targetResources(kind, { served, namespaced: false }).filter(({ resource }) =>
    !resource.includes("/")
  );
  const lacking = new Set<string>();
  for (const { group, resource } of targets) {
    for (const verb of ["list", "delete"]) {
      for (const name of names) {
        const right = {
          ...{ verb, group, resource },
          ...(namespace !== "" && { namespace }),
          ...(name !== undefined && { name }),
        };
        if (!await hasRight(accounts.cleanup, right)) lacking.add(verb);
      }
    }
  }
  return [...lacking];
}

/** The names that a filter selects; `[undefined]` for any name. */
function namesOf(filter: Json): (string | undefined)[] {
  const resources = field(filter, "resources");
  const names = [...asTexts(field(resources, "names")), textField(resources, "name")]
    .filter((name) => name !== "");
  return names.length === 0 || names.some(hasWildcard) ? [undefined] : names;
}
