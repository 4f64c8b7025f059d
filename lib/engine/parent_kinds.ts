import { asString, dig } from "../json/mod.ts";
import {
  builtinResource,
  formatApiVersion,
  hasWildcard,
  type KindSelector,
  parseKindSelectors,
  pluralOf,
} from "../kube/mod.ts";
import type { CompiledPolicy } from "./compiled.ts";
import type { PolicyRequest } from "./request.ts";

/** The custom kinds whose subresources policies name. */
export interface NamedParents {
  /** The kinds that are named in full (`Rollout/scale`), by their plurals as the usual rules make them. */
  readonly usual: ReadonlyMap<string, string>;
  /** Whether subresources of any kinds are named, perhaps by wildcards (`R*\/scale`, `*\/scale`). */
  readonly areNamed: boolean;
}

/** A resource whose kind has to be looked up in its cluster. */
export interface ParentResource {
  readonly apiVersion: string;
  readonly plural: string;
}

/** The kinds of a policy that name subresources. */
export function subresourceKinds({ rules }: CompiledPolicy): KindSelector[] {
  return rules.flatMap(({ selector }) => selector.match.filters.flatMap(({ kinds }) => kinds))
    .flatMap(parseKindSelectors).filter(({ subresource }) => subresource !== "");
}

/** The custom kinds among those that name subresources. */
export function parentKinds(named: readonly KindSelector[]): NamedParents {
  const usual = named.filter(({ kind }) => !hasWildcard(kind)).map(({ kind }) =>
    [pluralOf(kind), kind] as const
  );
  return { usual: new Map(usual), areNamed: named.length > 0 };
}

/**
 * The custom resource whose subresource a request changes, if policies name subresources. The object of `Rollout/scale`
 * is a `Scale`; of its parent, the request has only the plural `rollouts`.
 */
export function customParent(
  request: PolicyRequest,
  { parents }: { readonly parents: NamedParents },
): ParentResource | undefined {
  if (request.subresource === "" || !parents.areNamed) return undefined;
  const { plural, ...type } = parentOf(request);
  const apiVersion = formatApiVersion(type);
  return builtinResource(plural, apiVersion) === undefined ? { apiVersion, plural } : undefined;
}

/** The request with the kind of its parent resource, as the cluster serves it. */
export function withParentKind(request: PolicyRequest, kind: string): PolicyRequest {
  const { group, version } = parentOf(request);
  return { ...request, group, version, kind };
}

/**
 * The request with the kind of its parent resource where nobody looked it up: the kind that a policy names and whose
 * plural is the usual one.
 */
export function ofParent(request: PolicyRequest, parents: NamedParents): PolicyRequest {
  if (request.subresource === "" || parents.usual.size === 0) return request;
  const isLookedUp = (dig(request.variable, "kind", "kind") ?? request.kind) !== request.kind;
  const { plural } = parentOf(request), kind = parents.usual.get(plural);
  if (isLookedUp || kind === undefined || builtinResource(plural) !== undefined) return request;
  return withParentKind(request, kind);
}

function parentOf({ variable }: PolicyRequest): { group: string; version: string; plural: string } {
  const part = (name: string): string => asString(dig(variable, "resource", name)) ?? "";
  return { group: part("group"), version: part("version"), plural: part("resource") };
}
