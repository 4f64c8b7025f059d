import type { Diagnostic } from "../diagnostics/mod.ts";
import { compareTexts, type Stages } from "../json/mod.ts";
import type { KindSelector } from "../kube/mod.ts";
import { type Dialect, type Interest, MatchIndex } from "../match/mod.ts";
import { type Phase, phases } from "./phase.ts";
import type { LocatedDocument, Policy, PolicyException } from "../policy/mod.ts";
import type { YamlDocument } from "../yaml/mod.ts";
import type { CompiledPolicy } from "./compiled.ts";
import { type NamedParents, parentKinds } from "./parent_kinds.ts";
import { type Candidates, PolicySelections } from "./plan/policy_selection.ts";
import type { PreparedPolicies } from "./plan/prepared_policies.ts";
import type { CompiledJsonPolicy } from "./json_policies.ts";

/** All compiled policies. A snapshot is immutable; a change of policies replaces it. */
export interface Snapshot {
  /** All policies, sorted by name; a Policy after the ClusterPolicies. */
  readonly policies: readonly CompiledPolicy[];
  /** Returns the policies of a key, sorted as all are: policies of several kinds may have one key. */
  readonly named: (key: string) => readonly CompiledPolicy[];
  /** The same policies in the order of their documents, in which the command line applies them. */
  readonly written: readonly CompiledPolicy[];
  readonly others: readonly LocatedDocument[];
  /** The exceptions of kyverno.io, in the order of their documents. */
  readonly exceptions: readonly PolicyException[];
  /** The JSON policies, in the order of their documents. */
  readonly jsonPolicies: readonly CompiledJsonPolicy[];
  readonly diagnostics: readonly Diagnostic[];
  /** The documents that were left out because all of them take too much memory. */
  readonly leftOut: readonly YamlDocument[];
  readonly dialect: Dialect;
  /** The custom kinds whose subresources the policies name. */
  readonly parents: NamedParents;
  /** Policies with rules of the phase that may be about such a request, in order. */
  readonly candidates: Candidates;
  /** The selections prepared for requests of one type and query. */
  readonly selections: PolicySelections;
  /** The policies prepared for requests, which the next snapshot shares. */
  readonly prepared: PreparedPolicies;
}

/**
 * The snapshot with some of its policies, for one of several webhooks. It shares the indexes of the whole snapshot, so
 * that it is made in a millisecond for thousands of policies.
 */
export function restrict(snapshot: Snapshot, keep: (policy: CompiledPolicy) => boolean): Snapshot {
  const policies = snapshot.policies.filter(keep);
  if (policies.length === snapshot.policies.length) return snapshot;
  const kept = new Set(policies.map(({ policy }) => policy));
  // The indexes hold policies with their rules of a phase.
  const isKept = ({ policy }: CompiledPolicy): boolean => kept.has(policy);
  /** By the list of the whole snapshot, because selections are remembered for a list. */
  const lists = new WeakMap<readonly CompiledPolicy[], readonly CompiledPolicy[]>();
  const candidates: Candidates = (phase, request) => {
    const all = snapshot.candidates(phase, request);
    let found = lists.get(all);
    if (found === undefined) lists.set(all, found = all.filter(isKept));
    return found;
  };
  const { prepared } = snapshot;
  return frozen({ ...snapshot, policies, written: snapshot.written.filter(isKept) }, {
    candidates,
    subresourceKinds: policies.flatMap((policy) => prepared.subresourceKinds(policy)),
  });
}

/** The snapshot of policies that are compiled, each of which a stage adds to the indexes. */
export function* snapshotOf(
  parts: Omit<Snapshot, "policies" | "named" | "parents" | "candidates" | "selections">,
): Stages<Snapshot> {
  const policies = [...parts.written].sort(byName);
  const indexes: Record<Phase, MatchIndex<CompiledPolicy>> = {
    mutate: new MatchIndex(),
    verifyImages: new MatchIndex(),
    validate: new MatchIndex(),
    generate: new MatchIndex(),
    mutateExisting: new MatchIndex(),
  };
  const subresourceKinds: KindSelector[] = [];
  for (const policy of policies) {
    for (const kind of parts.prepared.subresourceKinds(policy)) subresourceKinds.push(kind);
    for (const phase of phases) {
      const ofPhase = parts.prepared.ofPhase(policy, phase);
      if (ofPhase !== undefined) {
        indexes[phase].add(ofPhase, ofPhase.rules.flatMap((rule) => interests(rule, policy.policy)));
      }
    }
    yield;
  }
  const candidates: Candidates = (phase, { kind, operation, namespace }) =>
    indexes[phase].find(kind, operation, namespace);
  return frozen({ ...parts, policies }, { candidates, subresourceKinds });
}

function frozen(
  parts: Omit<Snapshot, "named" | "parents" | "candidates" | "selections">,
  { candidates, subresourceKinds }: {
    readonly candidates: Candidates;
    readonly subresourceKinds: readonly KindSelector[];
  },
): Snapshot {
  let byKey: ReadonlyMap<string, readonly CompiledPolicy[]> | undefined;
  return Object.freeze({
    ...parts,
    named: (key: string) =>
      (byKey ??= Map.groupBy(parts.policies, ({ policy }) => policy.key)).get(key) ?? [],
    parents: parentKinds(subresourceKinds),
    candidates,
    selections: new PolicySelections(candidates, parts.prepared),
  });
}

function byName({ policy: left }: CompiledPolicy, { policy: right }: CompiledPolicy): number {
  const scope = Number(left.namespace !== undefined) - Number(right.namespace !== undefined);
  return scope !== 0 ? scope : compareTexts(left.key, right.key);
}

/** The criteria of a rule's match that the index can use. */
function interests({ selector, rule }: CompiledPolicy["rules"][number], policy: Policy): Interest[] {
  const namespace = policy.namespace;
  if (rule.generatedFor !== undefined) return [{ kinds: [...rule.generatedFor], operations: [], namespace }];
  const { form, filters } = selector.match;
  // All these filters must match, so the index needs only the first.
  const used = form === "all" ? filters.slice(0, 1) : filters;
  return used.map(({ kinds, operations }) => ({ kinds, operations, namespace }));
}
