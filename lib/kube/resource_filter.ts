import {
  compileKindSelector,
  type KindSelector,
  parseKindSelector,
  type ResourceType,
} from "./kind_selector.ts";
import { compileWildcard, hasWildcard } from "./wildcard.ts";

/** The facts about a resource that filters read: its type, namespace (`""` when it has none) and name. */
export interface FilteredResource extends ResourceType {
  readonly namespace: string;
  readonly name: string;
}

/**
 * Compiles the `resourceFilters` of Kyverno's configuration, `[kind,namespace,name]` items, into a predicate. It holds
 * for resources that no policy applies to, also for a Namespace whose name matches a filter's namespace.
 *
 * ```ts
 * import { compileResourceFilters } from "./resource_filter.ts";
 * import assert from "node:assert/strict";
 * const filtered = compileResourceFilters("[Event,*,*][*\u002f*,kube-system,*]");
 * const event = { group: "", version: "v1", kind: "Event", subresource: "", namespace: "default", name: "a" };
 * assert.equal(filtered(event), true);
 * assert.equal(filtered({ ...event, kind: "Pod" }), false);
 * ```
 */
export function compileResourceFilters(text: string): (resource: FilteredResource) => boolean {
  // Nearly all filters name one kind. A request reads only those of its own.
  const ofAnyKind: Filter[] = [], ofKind = new Map<string, Filter[]>();
  for (const [, item] of text.matchAll(/\[([^\[\]]*)\]/g)) {
    const parts = item!.split(","), [first = ""] = parts;
    if (first === "" || parts.length > 3) continue;
    const selector = parseKindSelector(first), { kind } = selector;
    const filter = compileFilter(selector, parts);
    if (hasWildcard(kind)) ofAnyKind.push(filter);
    else if (ofKind.has(kind)) ofKind.get(kind)!.push(filter);
    else ofKind.set(kind, [filter]);
  }
  return (resource) => {
    const filters = (filter: Filter): boolean => filter(resource);
    return ofAnyKind.some(filters) || (ofKind.get(resource.kind)?.some(filters) ?? false);
  };
}

type Filter = (resource: FilteredResource) => boolean;

function compileFilter(selector: KindSelector, parts: readonly string[]): Filter {
  const [, namespacePattern = "", namePattern = ""] = parts;
  const type = compileKindSelector(selector, { ephemeralContainers: false });
  const namespace = compileWildcard(namespacePattern), name = compileWildcard(namePattern);
  return (resource) =>
    type(resource) &&
    (namespace(resource.namespace) && name(resource.name) ||
      isNamespace(resource) && namespace(resource.name));
}

function isNamespace(type: ResourceType): boolean {
  return type.kind === "Namespace" && type.group === "" && type.version === "v1";
}

/** The resource filters of a new Kyverno installation, without those for Kyverno's objects. */
export const defaultResourceFilters =
  "[Event,*,*][*/*,kube-system,*][*/*,kube-public,*][*/*,kube-node-lease,*]" +
  "[Node,*,*][Node/?*,*,*][APIService,*,*][APIService/?*,*,*][TokenReview,*,*][SubjectAccessReview,*,*]" +
  "[SelfSubjectAccessReview,*,*][Binding,*,*][Pod/binding,*,*][ReplicaSet,*,*][ReplicaSet/?*,*,*]" +
  "[EphemeralReport,*,*][ClusterEphemeralReport,*,*]";
