import { asString, dig } from "../json/mod.ts";
import { builtinKind, builtinResource, hasWildcard, parseKindSelectors, pluralOf } from "../kube/mod.ts";
import type { CompiledPolicy } from "./compiled.ts";
import type { PolicyRequest } from "./request.ts";

/** The custom kinds whose subresources policies name (`Rollout/scale`), by their plural. */
export type ParentKinds = ReadonlyMap<string, string>;

/** The custom kinds whose subresources policies name. Their plurals are those of the usual rules. */
export function parentKinds(policies: readonly CompiledPolicy[]): ParentKinds {
  const kinds = policies.flatMap(({ rules }) =>
    rules.flatMap(({ selector }) => selector.match.filters.flatMap((filter) => filter.kinds))
  );
  const found = new Map<string, string>();
  for (const { kind, subresource } of kinds.flatMap(parseKindSelectors)) {
    if (subresource === "" || hasWildcard(kind) || builtinKind(kind) !== undefined) continue;
    found.set(pluralOf(kind), kind);
  }
  return found;
}

/**
 * The request with the kind of its parent resource, where a custom resource has a subresource of another kind: the
 * `Scale` of a Rollout is about a Rollout.
 */
export function ofParent(request: PolicyRequest, parents: ParentKinds): PolicyRequest {
  if (request.subresource === "" || parents.size === 0) return request;
  const part = (name: string): string => asString(dig(request.variable, "resource", name)) ?? "";
  const kind = parents.get(part("resource"));
  if (kind === undefined || builtinResource(part("resource")) !== undefined) return request;
  return { ...request, group: part("group"), version: part("version"), kind };
}
