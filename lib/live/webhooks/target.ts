import { compareTexts } from "../../json/mod.ts";

/** A resource of the API, with the operations for which a webhook is called. */
export interface Target {
  readonly group: string;
  readonly version: string;
  /** Plural, with a subresource behind `/`; `*` for any. */
  readonly resource: string;
  readonly scope: "Namespaced" | "Cluster" | "*";
  readonly operations: readonly string[];
  /**
   * The rule that the target comes from: resources of different rules stay apart. Absent for targets that may share a
   * rule.
   */
  readonly rule?: string;
}

/** All operations, sorted as rules of webhooks have them. */
export const everyOperation: readonly string[] = ["CONNECT", "CREATE", "DELETE", "UPDATE"];

/** All resources and operations. */
export const everyTarget: Target = {
  group: "*",
  version: "*",
  resource: "*/*",
  scope: "*",
  operations: everyOperation,
};

/**
 * The parts of a target that are in a namespace: objects in it, and the Namespace itself. For other cluster-scoped
 * objects the API server ignores the webhook's `namespaceSelector`, and calls it for all of them.
 */
export function targetsInNamespace(target: Target): Target[] {
  const { group, version, resource, scope } = target;
  const [name = "", ...parts] = resource.split("/");
  const isOfNamespaces = (name === "*" || name === "namespaces") && (group === "*" || group === "") &&
    (version === "*" || version === "v1") && scope !== "Namespaced";
  const namespaces = resource === "*/*"
    ? ["namespaces", "namespaces/*"]
    : [["namespaces", ...parts].join("/")];
  return [
    ...(scope === "Cluster" || name === "namespaces" ? [] : [{ ...target, scope: "Namespaced" as const }]),
    ...(isOfNamespaces ? namespaces : []).map((resource): Target => ({
      ...target,
      group: "",
      version: "v1",
      resource,
      scope: "*",
    })),
  ];
}

/** A rule of a webhook, as admissionregistration.k8s.io/v1 writes it. */
export interface WebhookRule {
  readonly apiGroups: readonly string[];
  readonly apiVersions: readonly string[];
  readonly operations: readonly string[];
  readonly resources: readonly string[];
  readonly scope: string;
}

/**
 * Converts targets into the rules of a webhook. Resources of one group, version, scope and operations share a rule,
 * and rules inside a wider rule are left out. Everything is sorted, so that equal policies give equal configurations.
 */
export function webhookRules(targets: readonly Target[]): WebhookRule[] {
  const rules = Map.groupBy(
    withoutCovered(mergedOperations(targets)),
    ({ group, version, operations, scope, origin }) =>
      JSON.stringify([group, version, operations, scope, origin]),
  );
  return [...rules.values()].map((alike) => {
    const { group, version, operations, scope } = alike[0]!;
    return {
      apiGroups: [group],
      apiVersions: [version],
      operations,
      resources: [...new Set(alike.map(({ resource }) => resource))].sort(),
      scope,
    };
  }).sort((left, right) => compareTexts(sortKey(left), sortKey(right)));
}

/** A target with all operations for its resource. */
interface MergedTarget extends Target {
  /** The number of the rule that it comes from. */
  readonly origin: number;
  readonly index: number;
}

function mergedOperations(targets: readonly Target[]): MergedTarget[] {
  const merged = new Map<string, { target: Target; origin: number; operations: Set<string> }>();
  const origins = new Map<string, number>();
  for (const target of targets) {
    const { group, version, resource, scope, rule = "" } = target;
    const origin = origins.get(rule) ?? origins.size;
    origins.set(rule, origin);
    const key = JSON.stringify([group, version, resource, scope, origin]);
    const entry = merged.get(key) ?? { target, origin, operations: new Set<string>() };
    for (const operation of target.operations) entry.operations.add(operation);
    merged.set(key, entry);
  }
  return [...merged.values()].map(({ target, origin, operations }, index) => ({
    ...target,
    origin,
    index,
    operations: [...operations].sort(),
  }));
}

/** Leaves out targets that another one covers; of two that cover each other the first one stays. */
function withoutCovered(targets: readonly MergedTarget[]): MergedTarget[] {
  const byResource = Map.groupBy(targets, resourceKey);
  return targets.filter((target) =>
    !widerKeys(target).some((key) =>
      byResource.get(key)?.some((wider) =>
        wider !== target && covers(wider, target) && (wider.index < target.index || !covers(target, wider))
      )
    )
  );
}

/**
 * Returns a function that says whether a webhook with the given targets misses requests of another target. Policies
 * share targets, so the function compares each once.
 */
export function uncoveredBy(targets: readonly Target[]): (target: Target) => boolean {
  const byResource = Map.groupBy(mergedOperations(targets), resourceKey);
  const compared = new Map<string, boolean>();
  return (target) => {
    const key = `${resourceKey(target)} ${target.operations.join()}`, found = compared.get(key);
    if (found !== undefined) return found;
    const isUncovered = !widerKeys(target).some((key) =>
      byResource.get(key)?.some((wider) => covers(wider, target))
    );
    compared.set(key, isUncovered);
    return isUncovered;
  };
}

function resourceKey(
  { group, version, scope, resource }: Pick<Target, "group" | "version" | "scope" | "resource">,
) {
  return JSON.stringify([group, version, scope, resource]);
}

/** The keys of all targets that may cover a target: a comparison of each with each takes minutes for thousands. */
function widerKeys({ group, version, scope, resource }: Target): string[] {
  const [name = "", subresource] = resource.split("/");
  const resources = subresource === undefined
    ? [resource, "*", "*/*"]
    : [resource, "*/*", `*/${subresource}`, `${name}/*`];
  return [
    ...new Set(
      [group, "*"].flatMap((group) =>
        [version, "*"].flatMap((version) =>
          [scope, "*" as const].flatMap((scope) =>
            resources.map((resource) => resourceKey({ group, version, scope, resource }))
          )
        )
      ),
    ),
  ];
}

function covers(wider: Target, target: Target): boolean {
  return (wider.group === "*" || wider.group === target.group) &&
    (wider.version === "*" || wider.version === target.version) &&
    (wider.scope === "*" || wider.scope === target.scope) &&
    coversResource(wider.resource, target.resource) &&
    target.operations.every((operation) => wider.operations.includes(operation));
}

/** Whether a resource of a webhook's rule, which may have wildcards, covers another one. */
export function coversResource(wider: string, resource: string): boolean {
  if (wider === resource || wider === "*/*") return true;
  const [widerName, widerSubresource] = wider.split("/"), [name, subresource] = resource.split("/");
  if (widerSubresource === undefined || subresource === undefined) {
    return widerName === "*" && widerSubresource === undefined && subresource === undefined;
  }
  return (widerName === "*" || widerName === name) &&
    (widerSubresource === "*" || widerSubresource === subresource);
}

function sortKey({ apiGroups, apiVersions, resources, operations, scope }: WebhookRule): string {
  return [apiGroups, apiVersions, resources, operations].map((list) => list.join(",")).join("\u0000") + scope;
}
