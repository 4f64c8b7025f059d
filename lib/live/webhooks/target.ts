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
  const operations = new Map<string, { target: Target; operations: Set<string> }>();
  for (const target of targets) {
    const key = JSON.stringify([
      target.group,
      target.version,
      target.resource,
      target.scope,
      target.rule ?? "",
    ]);
    const entry = operations.get(key) ?? { target, operations: new Set<string>() };
    for (const operation of target.operations) entry.operations.add(operation);
    operations.set(key, entry);
  }
  const merged = [...operations.values()].map(({ target, operations }) => ({
    ...target,
    operations: [...operations].sort(),
  }));
  // Of two targets that cover each other the first one stays.
  const kept = merged.filter((target, index) =>
    !merged.some((wider, other) =>
      other !== index && covers(wider, target) && (other < index || !covers(target, wider))
    )
  );
  const rules = new Map<string, Target[]>();
  for (const target of kept) {
    const { group, version, operations, scope, rule = "" } = target;
    const key = JSON.stringify([group, version, operations, scope, rule]);
    rules.set(key, [...rules.get(key) ?? [], target]);
  }
  return [...rules.values()].map((alike) => {
    const { group, version, operations, scope } = alike[0]!;
    return {
      apiGroups: [group],
      apiVersions: [version],
      operations,
      resources: [...new Set(alike.map(({ resource }) => resource))].sort(),
      scope,
    };
  }).sort((left, right) => compare(sortKey(left), sortKey(right)));
}

function covers(wider: Target, target: Target): boolean {
  return (wider.group === "*" || wider.group === target.group) &&
    (wider.version === "*" || wider.version === target.version) &&
    (wider.scope === "*" || wider.scope === target.scope) &&
    coversResource(wider.resource, target.resource) &&
    target.operations.every((operation) => wider.operations.includes(operation));
}

function coversResource(wider: string, resource: string): boolean {
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

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
