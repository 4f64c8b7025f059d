import { groupBy } from "../json/mod.ts";
import { builtinKindLines } from "./builtin_kinds.ts";
import { parseApiVersion } from "./group_version_kind.ts";

/** A kind with its plural, scope and subresources in the API. */
export interface BuiltinKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** The resource in URLs: `deployments`. */
  readonly plural: string;
  readonly namespaced: boolean;
  readonly subresources: readonly string[];
}

function readTable(): readonly BuiltinKind[] {
  const kinds: BuiltinKind[] = [];
  let type = parseApiVersion("");
  for (const line of builtinKindLines.trim().split("\n")) {
    if (!line.startsWith(" ")) type = parseApiVersion(line);
    else {
      const [kind = "", plural = "", scope, ...subresources] = line.trim().split(" ");
      kinds.push({ ...type, kind, plural, namespaced: scope === "namespaced", subresources });
    }
  }
  return kinds;
}

/** The kinds of a plain Kubernetes cluster. The preferred version of a kind comes first. */
export const builtinKinds: readonly BuiltinKind[] = readTable();

const byKind: ReadonlyMap<string, readonly BuiltinKind[]> = groupBy(builtinKinds, ({ kind }) => kind);
const byPlural: ReadonlyMap<string, readonly BuiltinKind[]> = groupBy(builtinKinds, ({ plural }) => plural);

/**
 * Finds a built-in kind by its name, in the given apiVersion or in any; `undefined` for a kind that plain Kubernetes
 * does not serve.
 *
 * ```ts
 * import { builtinKind } from "./api_resource.ts";
 * import assert from "node:assert/strict";
 * assert.equal(builtinKind("Deployment")?.plural, "deployments");
 * assert.equal(builtinKind("Deployment", "apps/v1")?.namespaced, true);
 * assert.equal(builtinKind("Deployment", "extensions/v1beta1"), undefined);
 * ```
 */
export function builtinKind(kind: string, apiVersion?: string): BuiltinKind | undefined {
  return choose(byKind.get(kind), apiVersion);
}

/** Finds a built-in kind by its plural in URLs (`deployments`). */
export function builtinResource(plural: string, apiVersion?: string): BuiltinKind | undefined {
  return choose(byPlural.get(plural), apiVersion);
}

function choose(kinds: readonly BuiltinKind[] | undefined, apiVersion?: string): BuiltinKind | undefined {
  if (apiVersion === undefined) return kinds?.[0];
  const { group, version } = parseApiVersion(apiVersion);
  return kinds?.find((each) => each.group === group && each.version === version);
}

/**
 * The plural of a kind: the built-in one, or else by the usual rules (`Policy` → `policies`, `Ingress` → `ingresses`).
 * A custom resource may have another plural, which only its cluster can return.
 */
export function pluralOf(kind: string): string {
  const builtin = builtinKind(kind);
  if (builtin !== undefined) return builtin.plural;
  const name = kind.toLowerCase();
  if (/(?:s|x|z|ch|sh)$/.test(name)) return `${name}es`;
  return /[^aeiou]y$/.test(name) ? `${name.slice(0, -1)}ies` : `${name}s`;
}
