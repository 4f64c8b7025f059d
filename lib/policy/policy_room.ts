import { dig, type Json } from "../json/mod.ts";
import type { CompiledWeights } from "./compiled_weight.ts";
import { everywhere, scopeOf } from "./policy_scope.ts";

/** The share of the memory for policies that policies of all namespaces may take; the rest is the cluster's reserve. */
const shareOfNamespaces = 3 / 4;

/** The share that policies of one namespace may take. */
const shareOfNamespace = 1 / 4;

/**
 * The share that policies may take when they are reviewed. Others are admitted at the same moment, by this and by other
 * replicas, and they must not be left out: all requests in their place would be denied.
 */
const shareOfAll = 31 / 32;

/** The policies among which there must be room for another one. */
export interface StoredPolicies {
  /** All that are stored, a former version of the policy among them. */
  readonly stored: Iterable<Json>;
  readonly weights: CompiledWeights;
}

/**
 * Returns the reason why a policy has no room among those that are stored; `undefined` when it has. Policies that do
 * not fit are left out, and requests in their place are denied: it is better not to store them. A policy of a namespace
 * leaves room for other namespaces and for the cluster.
 */
export function roomProblem(policy: Json, { stored, weights }: StoredPolicies): string | undefined {
  const { limit } = weights;
  if (limit === Infinity) return undefined;
  const namespace = scopeOf(policy), weight = weights.of(policy);
  const used = { all: weight, namespaces: weight, namespace: weight };
  for (const document of stored) {
    if (isSame(document, policy)) continue;
    const each = weights.of(document), scope = scopeOf(document);
    used.all += each;
    if (scope !== everywhere) used.namespaces += each;
    if (scope === namespace) used.namespace += each;
  }
  const limits: readonly (readonly [whose: string, used: number, share: number])[] = namespace === everywhere
    ? [["all policies", used.all, shareOfAll]]
    : [
      [`the policies of namespace ${namespace}`, used.namespace, shareOfNamespace],
      ["the policies of all namespaces", used.namespaces, shareOfNamespaces],
      ["all policies", used.all, shareOfAll],
    ];
  const exceeded = limits.find(([, used, share]) => used > limit * share);
  if (exceeded === undefined) return undefined;
  const [whose, sum, share] = exceeded;
  return `${whose} would weigh ${Math.ceil(sum)} values together and may weigh ${
    Math.floor(limit * share)
  }, ` +
    "or they would not fit into memory: delete or shorten some, or give Postern a larger memory limit";
}

/** Whether two documents are versions of one object. */
function isSame(one: Json, other: Json): boolean {
  return [["kind"], ["metadata", "namespace"], ["metadata", "name"]].every((path) =>
    dig(one, ...path) === dig(other, ...path)
  );
}
