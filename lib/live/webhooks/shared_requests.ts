import type { JsonObject } from "../../json/mod.ts";
import { coversResource, type Target, webhookRules } from "./target.ts";

/** Resources of one group, with the operations for which another webhook gets them as well. */
interface SharedRequests {
  readonly group: string;
  readonly resources: readonly string[];
  readonly scope: string;
  readonly operations: readonly string[];
}

/** The most resources in a condition: the API server refuses a request when evaluating one costs it too much. */
const mostResources = 500;

/**
 * The match condition that leaves out the requests for which another webhook is called, too; none when no request is
 * about both. The path of the other webhook evaluates the same policies: without the condition their rules would
 * run twice for one request, and their patches would be made twice.
 */
export function notSharedWith(other: readonly Target[], targets: readonly Target[]): JsonObject[] {
  const shared = sharedRequests(other, targets);
  const count = shared.reduce((sum, { resources }) => sum + resources.length, 0);
  if (count === 0 || count > mostResources) return [];
  return [{
    name: "postern-not-for-the-cluster-too",
    expression: shared.map((each) => `!(${testOf(each)})`).join(" && "),
  }];
}

function sharedRequests(other: readonly Target[], targets: readonly Target[]): SharedRequests[] {
  const distinct = [...new Map(targets.map((target) => [JSON.stringify(target), target])).values()];
  return webhookRules(other).map(({ apiGroups, apiVersions, resources, operations, scope }) => {
    const [group = ""] = apiGroups, [version = ""] = apiVersions;
    const isShared = (resource: string): boolean => {
      const about = distinct.filter((target) =>
        (group === "*" || target.group === "*" || group === target.group) &&
        (coversResource(resource, target.resource) || coversResource(target.resource, resource)) &&
        target.operations.some((operation) => operations.includes(operation))
      );
      // A policy about one version is not evaluated for an object in the version of the other webhook.
      return about.length > 0 &&
        about.every((target) => target.version === "*" || target.version === version);
    };
    return { group, resources: resources.filter(isShared), scope, operations };
  }).filter(({ resources }) => resources.length > 0);
}

/** The test for requests, in CEL. Whether a resource is in a namespace shows in its name: others are not called for. */
function testOf({ group, resources, scope, operations }: SharedRequests): string {
  return [
    `request.operation in ${JSON.stringify(operations)}`,
    ...(group === "*" ? [] : [`request.resource.group == ${JSON.stringify(group)}`]),
    ...(scope === "Namespaced" ? ['request.resource.resource != "namespaces"'] : []),
    ...(scope === "Cluster" ? ['request.resource.resource == "namespaces"'] : []),
    `(${resourceTests(resources).join(" || ")})`,
  ].join(" && ");
}

function resourceTests(resources: readonly string[]): string[] {
  const isWhole = '(!has(request.subResource) || request.subResource == "")';
  const exact = resources.filter((resource) => !resource.includes("*"));
  const plain = exact.filter((resource) => !resource.includes("/"));
  const below = exact.filter((resource) => resource.includes("/"));
  return [
    ...(plain.length > 0 ? [`${isWhole} && request.resource.resource in ${JSON.stringify(plain)}`] : []),
    ...(below.length > 0
      ? [
        "has(request.subResource) && request.resource.resource + '/' + request.subResource in " +
        JSON.stringify(below),
      ]
      : []),
    ...resources.filter((resource) => resource.includes("*")).map((resource) => {
      const [name = "", subresource] = resource.split("/");
      if (resource === "*/*") return "true";
      const tests = [
        ...(name === "*" ? [] : [`request.resource.resource == ${JSON.stringify(name)}`]),
        subresource === undefined
          ? isWhole
          : subresource === "*"
          ? 'has(request.subResource) && request.subResource != ""'
          : `has(request.subResource) && request.subResource == ${JSON.stringify(subresource)}`,
      ];
      return tests.join(" && ");
    }),
  ];
}
