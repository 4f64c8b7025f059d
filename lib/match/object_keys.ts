import { asString, dig, field } from "../json/mod.ts";
import { hasWildcard, parseKindSelectors } from "../kube/mod.ts";
import type { MatchBlock, MatchFilter } from "../policy/mod.ts";
import type { Candidate } from "./candidate.ts";

/** The most keys of a block: an index holds them for each policy that an exception names. */
const mostKeys = 16;

/**
 * Keys of which each object that the block selects has one, by {@link keysOfCandidate}; `undefined` for a block that
 * names neither kinds nor namespaces nor names without wildcards, or too many.
 */
export function keysOfBlock(block: MatchBlock): readonly string[] | undefined {
  const keys = allKeys(block), distinct = keys && [...new Set(keys)];
  return distinct !== undefined && distinct.length <= mostKeys ? distinct : undefined;
}

function allKeys({ form, filters }: MatchBlock): readonly string[] | undefined {
  const keys = filters.map(keysOfFilter);
  if (form === "any") return keys.every((each) => each !== undefined) ? keys.flat() : undefined;
  // All filters must select the object, so the keys of one are enough. Those of the kind say least.
  return keys.find((each) => each !== undefined && !each.some(isOfKind)) ?? keys.find((each) => each);
}

/** The keys of an object. */
export function keysOfCandidate({ kind, resource }: Candidate): readonly string[] {
  const metadata = field(resource, "metadata");
  const written = asString(field(metadata, "name"));
  const name = written || asString(field(metadata, "generateName")) || "";
  const namespace = (kind === "Namespace" ? written : asString(dig(resource, "metadata", "namespace"))) ?? "";
  return [ofKind + kind, ofNamespace + namespace, ofName + name, pairKey(namespace, name)];
}

const ofKind = "k/", ofNamespace = "s/", ofName = "n/";

function isOfKind(key: string): boolean {
  return key.startsWith(ofKind);
}

function pairKey(namespace: string, name: string): string {
  return `p/${namespace}/${name}`;
}

function keysOfFilter({ resources }: MatchFilter): readonly string[] | undefined {
  const { kinds, namespaces } = resources;
  const names = resources.name === "" ? resources.names : [resources.name];
  const hasNames = isExact(names), hasNamespaces = isExact(namespaces);
  if (hasNames && hasNamespaces && names.length * namespaces.length <= mostKeys) {
    return namespaces.flatMap((namespace) => names.map((name) => pairKey(namespace, name)));
  }
  if (hasNames) return names.map((name) => ofName + name);
  if (hasNamespaces) return namespaces.map((namespace) => ofNamespace + namespace);
  const named = kinds.flatMap(parseKindSelectors).map(({ kind }) => kind);
  return isExact(named) ? named.map((kind) => ofKind + kind) : undefined;
}

function isExact(patterns: readonly string[]): boolean {
  return patterns.length > 0 && !patterns.some(hasWildcard);
}
