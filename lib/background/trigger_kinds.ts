import type { CompiledRule } from "../engine/mod.ts";
import { builtinKind, builtinResource, formatApiVersion, parseKindSelectors } from "../kube/mod.ts";

/** The kinds of a rule's triggers, as far as they can be listed. */
export interface TriggerKinds {
  readonly kinds: readonly { readonly apiVersion: string; readonly kind: string }[];
  /**
   * The kinds that cannot be listed, as the rule writes them: with wildcards, or custom ones without group and
   * version.
   */
  readonly vague: readonly string[];
}

/** Reads the kinds of a rule's match, without subresources, which are not objects. */
export function triggerKinds({ selector }: CompiledRule): TriggerKinds {
  const kinds = new Map<string, { apiVersion: string; kind: string }>();
  const vague: string[] = [];
  const add = (apiVersion: string, kind: string): void =>
    void kinds.set(`${apiVersion}/${kind}`, { apiVersion, kind });
  for (const { kinds: written } of selector.match.filters) {
    for (const { group, version, kind, subresource, text } of written.flatMap(parseKindSelectors)) {
      const builtin = builtinKind(kind);
      const isVague = [group, version].includes("*");
      if (subresource !== "" || kind.includes("*") || (isVague && builtin === undefined)) vague.push(text);
      else add(formatApiVersion(isVague ? builtin! : { group, version }), kind);
    }
  }
  for (const { groups, versions, resources } of selector.resources ?? []) {
    for (const resource of resources) {
      const found = builtinResource(resource, formatApiVersion({ group: groups[0]!, version: versions[0]! }));
      if (found === undefined) vague.push(resource);
      else add(formatApiVersion(found), found.kind);
    }
  }
  return { kinds: [...kinds.values()], vague };
}
