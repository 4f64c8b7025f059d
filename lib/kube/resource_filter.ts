import { compileKindSelector, parseKindSelector, type ResourceType } from "./kind_selector.ts";
import { compileWildcard } from "./wildcard.ts";

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
  const filters = [...text.matchAll(/\[([^\[\]]*)\]/g)].map((item) => compileFilter(item[1]!.split(",")));
  return (resource) => filters.some((filters) => filters(resource));
}

function compileFilter(parts: readonly string[]): (resource: FilteredResource) => boolean {
  const [kind = "", namespacePattern = "", namePattern = ""] = parts;
  if (kind === "" || parts.length > 3) return () => false;
  const type = compileKindSelector(parseKindSelector(kind), { ephemeralContainers: false });
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
