import { hasRules } from "../policy/mod.ts";
import type { CompiledPolicy } from "./compiled.ts";
import type { Facts, NeededFacts } from "./facts.ts";
import { noPolicies, type PolicyQuery, type PolicySelection, rulesOfPass } from "./plan/policy_selection.ts";
import type { PolicyRequest } from "./request.ts";
import type { Snapshot } from "./snapshot.ts";

/** The policies that may be about a request. */
export interface RequestPolicies {
  /** Those of the query's phase. */
  readonly selection: PolicySelection;
  /** Those that verify images after the mutations of a request; none in other phases. */
  readonly images: PolicySelection;
  /** The policies of both. */
  readonly all: readonly CompiledPolicy[];
  /** The facts that matching the policies of both reads. */
  readonly needs: NeededFacts;
}

/** Selects the policies that may be about a request. An explanation also shows the rules for other kinds. */
export function selectPolicies(
  snapshot: Snapshot,
  request: PolicyRequest,
  { query, isExplained }: { readonly query: PolicyQuery; readonly isExplained: boolean },
): RequestPolicies {
  const { selections } = snapshot;
  const select = (query: PolicyQuery): PolicySelection =>
    isExplained ? selections.forExplanation(request, query) : selections.select(request, query);
  const verifiesImages = query.phase === "mutate" &&
    snapshot.candidates("verifyImages", request).length > 0;
  const selection = select(query);
  const images = verifiesImages
    ? verifyingImages(select({ ...query, phase: "verifyImages" }), query)
    : noPolicies;
  return {
    selection,
    images,
    all: images.policies.length === 0 ? selection.policies : [...selection.policies, ...images.policies],
    needs: {
      needsNamespaceLabels: selection.needsNamespaceLabels || images.needsNamespaceLabels,
      needsRoles: selection.needsRoles || images.needsRoles,
    },
  };
}

/**
 * The selected policies that verify images. Kyverno parity: a ClusterPolicy or Policy with match conditions, which
 * has a separate webhook, never verifies images; its validate phase still denies images that no policy verified.
 * Pinned by "a classic policy with its own webhook path verifies no images".
 */
function verifyingImages(selection: PolicySelection, { policy: key }: PolicyQuery): PolicySelection {
  if (key === undefined) return selection;
  const { policies, needsNamespaceLabels, needsRoles } = selection;
  const kept = policies.filter(({ policy: { kind } }) => !hasRules(kind));
  return { policies: kept, needsNamespaceLabels, needsRoles };
}

/** The policies of a selection with the rules that the query evaluates in a namespace with the labels. */
export function policiesOfPass(
  { policies, needsNamespaceLabels }: PolicySelection,
  { namespace }: PolicyRequest,
  { rules, facts: { namespaceLabels } }: Required<Pick<PolicyQuery, "rules">> & { readonly facts: Facts },
): readonly CompiledPolicy[] {
  if (!needsNamespaceLabels) return policies;
  const pass = { rules, namespace, namespaceLabels };
  return policies.flatMap((policy) => rulesOfPass(policy, pass) ?? []);
}
