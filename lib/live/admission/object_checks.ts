import { asList, asObject, asString, asTexts, dig, field, type Json } from "../../json/mod.ts";
import { durationProblem, hasWildcard } from "../../kube/mod.ts";
import { writtenFilters, writtenUserCriteria } from "../../policy/mod.ts";
import { scheduleProblem } from "../cleanup/schedule.ts";
import type { CheckedObject, CheckTools } from "./check.ts";
import { targetResources } from "../webhooks/served_kinds.ts";

/** The problems of a GlobalContextEntry. */
export function globalContextProblems({ object }: CheckedObject): string[] {
  const spec = asObject(object["spec"]) ?? {};
  const resource = asObject(field(spec, "kubernetesResource")), call = asObject(field(spec, "apiCall"));
  if ((resource === undefined) === (call === undefined)) {
    return ["a global context entry has either kubernetesResource or apiCall"];
  }
  if (call === undefined) {
    return ["version", "resource"].filter((name) => (asString(field(resource, name)) ?? "") === "")
      .map((name) => `kubernetesResource needs ${name}`);
  }
  const problems: string[] = [];
  const method = asString(field(call, "method")) ?? "GET";
  if ((field(call, "service") === undefined) === ((asString(field(call, "urlPath")) ?? "") === "")) {
    problems.push("apiCall has either urlPath or service");
  }
  if (method !== "POST" && asList(field(call, "data")).length > 0) {
    problems.push("apiCall.data is only sent with method POST");
  }
  const interval = asString(field(call, "refreshInterval"));
  const problem = interval === undefined ? undefined : durationProblem(interval);
  if (problem !== undefined) problems.push(`apiCall.refreshInterval: ${problem}`);
  return problems;
}

/** The problems of a CleanupPolicy or ClusterCleanupPolicy. */
export async function cleanupProblems({ object }: CheckedObject, tools: CheckTools): Promise<string[]> {
  const spec = asObject(object["spec"]) ?? {};
  const problem = scheduleProblem(asString(field(spec, "schedule")) ?? "");
  if (problem !== undefined) return [`spec.schedule: ${problem}`];
  if (writtenUserCriteria(spec).length > 0) {
    return ["a cleanup policy cannot match by users and roles: a cleanup has no user"];
  }
  const problems: string[] = [];
  for (const { filter } of writtenFilters(spec, "match")) {
    const names = namesOf(filter);
    for (const kind of asTexts(dig(filter, "resources", "kinds"))) {
      const lacking = await lackingVerbs(kind, names, tools);
      if (lacking.length > 0) {
        problems.push(
          `${tools.accounts.cleanup} has no permission to ${lacking.join(", ")} kind ${kind}; ` +
            `grant it with a ClusterRole labelled rbac.kyverno.io/aggregate-to-cleanup-controller: "true"`,
        );
      }
    }
  }
  return problems;
}

/** The verbs that the account lacks for a cleanup of a kind. The right may be limited to the matched names. */
async function lackingVerbs(
  kind: string,
  names: readonly (string | undefined)[],
  { served, accounts, hasRight }: CheckTools,
): Promise<string[]> {
  const targets = targetResources(kind, { served, namespaced: false }).filter(({ resource }) =>
    !resource.includes("/")
  );
  const lacking = new Set<string>();
  for (const { group, resource } of targets) {
    for (const verb of ["list", "delete"]) {
      for (const name of names) {
        const right = { verb, group, resource, ...(name !== undefined && { name }) };
        if (!await hasRight(accounts.cleanup, right)) lacking.add(verb);
      }
    }
  }
  return [...lacking];
}

/** The names that a filter selects; `[undefined]` for any name. */
function namesOf(filter: Json): (string | undefined)[] {
  const resources = field(filter, "resources");
  const names = [...asTexts(field(resources, "names")), asString(field(resources, "name")) ?? ""]
    .filter((name) => name !== "");
  return names.length === 0 || names.some(hasWildcard) ? [undefined] : names;
}
