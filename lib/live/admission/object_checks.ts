import { asList, asObject, asString, dig, field, type Json, type JsonObject } from "../../json/mod.ts";
import { durationProblem } from "../../kube/mod.ts";
import { scheduleProblem } from "../cleanup/schedule.ts";
import type { CheckedObject, CheckTools } from "./check.ts";
import { placesOf } from "../webhooks/served_kinds.ts";

/** What is wrong with a PolicyException of kyverno.io. */
export function exceptionProblems({ object }: CheckedObject): string[] {
  const spec = asObject(object["spec"]) ?? {};
  const byUser = usersOf(spec).length > 0;
  return field(spec, "background") !== false && byUser
    ? ["a background scan knows no users; set spec.background to false"]
    : [];
}

/** What is wrong with a GlobalContextEntry. */
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

/** What is wrong with a CleanupPolicy or ClusterCleanupPolicy. */
export async function cleanupProblems({ object }: CheckedObject, tools: CheckTools): Promise<string[]> {
  const spec = asObject(object["spec"]) ?? {};
  const problem = scheduleProblem(asString(field(spec, "schedule")) ?? "");
  if (problem !== undefined) return [`spec.schedule: ${problem}`];
  if (usersOf(spec).length > 0) {
    return ["a cleanup policy cannot match by users and roles: nobody asks for a cleanup"];
  }
  const account = tools.accounts.cleanup;
  const kinds = filtersOf(spec, "match").flatMap((filter) => asList(dig(filter, "resources", "kinds")));
  const problems: string[] = [];
  for (const kind of kinds.map((each) => asString(each) ?? "")) {
    const places = placesOf(kind, { served: tools.served, namespaced: false }).filter(({ resource }) =>
      !resource.includes("/")
    );
    for (const { group, resource } of places) {
      const lacking: string[] = [];
      for (const verb of ["list", "delete"]) {
        if (!await tools.hasRight(account, { verb, group, resource })) lacking.push(verb);
      }
      if (lacking.length > 0) {
        problems.push(`${account} has no permission to ${lacking.join(", ")} kind ${kind}`);
      }
    }
  }
  return problems;
}

function filtersOf(spec: JsonObject, name: "match" | "exclude"): Json[] {
  const block = field(spec, name);
  return [
    ...asList(field(block, "any")),
    ...asList(field(block, "all")),
    ...(block === undefined ? [] : [block]),
  ];
}

/** Everything in match and exclude that is about who asks. */
function usersOf(spec: JsonObject): Json[] {
  return [...filtersOf(spec, "match"), ...filtersOf(spec, "exclude")].flatMap((filter) =>
    ["subjects", "roles", "clusterRoles"].flatMap((name) => asList(field(filter, name)))
  );
}
