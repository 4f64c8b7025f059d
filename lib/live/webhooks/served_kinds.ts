import {
  compileWildcard,
  hasWildcard,
  type KindSelector,
  parseKindSelectors,
  pluralOf,
} from "../../kube/mod.ts";
import type { ServedResource } from "../../ports.ts";
import type { Target } from "./target.ts";

/** A resource of the API. */
export type TargetResource = Omit<Target, "operations">;

/** A kind with its resource, as a cluster serves it. */
export interface DiscoveredKind extends Omit<ServedResource, "verbs" | "subresources"> {
  readonly subresources: readonly { readonly name: string }[];
}

/**
 * The kinds that a cluster serves, and whether the policy is one of a namespace, which is about namespaced kinds alone.
 */
export interface TargetOptions {
  readonly served: readonly DiscoveredKind[];
  readonly namespaced: boolean;
  /** Whether a kind without a version means each version that is served; only the preferred one by default. */
  readonly everyVersion?: boolean;
  /**
   * Whether a kind of a named group that is not served yet means the resource with the usual plural. Otherwise it means
   * none.
   */
  readonly expectsUnserved?: boolean;
}

/**
 * The resources of a policy's kind (`Pod`, `apps/v1/Deployment`, `Pod/exec`, `*`), as the cluster serves them. A kind
 * that is not served has none, unless it is expected: its policy waits for the definition.
 */
export function targetResources(kind: string, options: TargetOptions): TargetResource[] {
  return parseKindSelectors(kind).flatMap((selector) => {
    if (selector.kind === "*") return [everything(selector, options.namespaced)].flat();
    const found = matching(selector, options);
    return found.length === 0 && options.expectsUnserved === true
      ? expected(selector, options.namespaced)
      : found.flatMap((resource) => targetsOfResource(resource, selector));
  });
}

/**
 * The resource that a kind will have when its definition comes. The API server serves it some seconds before webhooks
 * can be written for it, and objects would be stored unchecked meanwhile.
 */
function expected(
  { group, version, kind, subresource }: KindSelector,
  namespaced: boolean,
): TargetResource[] {
  if (group === "" || hasWildcard(group) || hasWildcard(kind)) return [];
  const plural = pluralOf(kind);
  return [{
    group,
    version: literal(version),
    resource: subresource === "" ? plural : `${plural}/${literal(subresource)}`,
    scope: namespaced ? "Namespaced" : "*",
  }];
}

/** The resources of `*`, `*\/scale` and `*\/*`, which the API server accepts as they are. */
function everything({ group, version, subresource }: KindSelector, namespaced: boolean): TargetResource[] {
  const target = {
    group: literal(group),
    version: literal(version),
    scope: namespaced ? "Namespaced" as const : "*" as const,
  };
  if (subresource !== "") return [{ ...target, resource: `*/${subresource}` }];
  // Kyverno parity: a rule about everything is also about containers that are added to debug a Pod; pinned by
  // "a rule about every kind names the subresource of debug containers".
  return [{ ...target, resource: "*" }, { ...target, resource: "pods/ephemeralcontainers" }];
}

function matching(
  { group, version, kind }: KindSelector,
  { served, everyVersion = false }: TargetOptions,
): DiscoveredKind[] {
  const isGroup = compileWildcard(group),
    isVersion = compileWildcard(version),
    isKind = compileWildcard(kind);
  return served.filter((resource) =>
    isKind(resource.kind) && isGroup(resource.group) && isVersion(resource.version) &&
    (everyVersion || !hasWildcard(version) || resource.preferred)
  );
}

function targetsOfResource(resource: DiscoveredKind, { subresource }: KindSelector): TargetResource[] {
  const { group, version, plural, namespaced, subresources } = resource;
  const target = { group, version, scope: namespaced ? "Namespaced" as const : "*" as const };
  if (subresource === "") {
    const found: TargetResource[] = [{ ...target, resource: plural }];
    if (group === "" && plural === "pods") found.push({ ...target, resource: "pods/ephemeralcontainers" });
    return found;
  }
  const isSubresource = compileWildcard(subresource);
  return subresources.filter(({ name }) => isSubresource(name)).map(({ name }) => ({
    ...target,
    resource: `${plural}/${name}`,
  }));
}

function literal(text: string): string {
  return hasWildcard(text) ? "*" : text;
}
