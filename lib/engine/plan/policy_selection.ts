import type { JsonObject } from "../../json/mod.ts";
import type { FailurePolicy } from "../../policy/mod.ts";
import type { CompiledPolicy, CompiledRule } from "../compiled.ts";
import type { NeededFacts } from "../facts.ts";
import type { PolicyRequest } from "../request.ts";
import { JointPolicies } from "./joint_policies.ts";
import type { PreparedPolicies } from "./prepared_policies.ts";
import type { RulesForTypes } from "./rules_for_type.ts";
import type { Phase } from "../phase.ts";

/**
 * The rules of policies that are evaluated: those that may deny or warn, which run before the answer (`admission`), the
 * audit rules, which run after it, or all.
 */
export type EvaluatedRules = "admission" | "audit" | "all";

/** Selects policies. */
export interface PolicyQuery {
  readonly phase: Phase;
  /** Only policies of this failurePolicy: the API server calls a webhook for each. */
  readonly failurePolicy?: FailurePolicy;
  /**
   * Only the policy with this key. At admission a policy with match conditions has a separate webhook, which carries
   * them: it is evaluated at the path with its key, and at paths that name neither a policy nor a failurePolicy,
   * which evaluate all policies.
   */
  readonly policy?: string;
  /** Only policies of this kind: policies of other kinds may have the same key. */
  readonly kind?: string;
  /** The rules to evaluate; `all` by default. */
  readonly rules?: EvaluatedRules;
}

/** The selected policies, prepared for requests of one type and query. */
export interface PolicySelection extends NeededFacts {
  readonly policies: readonly CompiledPolicy[];
  /** Those of the policies whose patterns are compared together. */
  readonly joint?: JointPolicies | undefined;
}

interface RememberedSelection {
  readonly type: Pick<PolicyRequest, "group" | "version" | "subresource">;
  readonly query: PolicyQuery;
  readonly selection: PolicySelection;
}

/** The selections of a list of policies. */
interface RememberedSelections {
  /** Whether a policy has another action in some namespaces: each namespace then has separate selections. */
  readonly differByNamespace: boolean;
  /** By the key of the query, with the namespace where these differ. */
  readonly byKey: Map<string, readonly RememberedSelection[]>;
}

/** Types come from requests: no more of them are remembered for one key. */
const maxRemembered = 64;

/** The bytes of a selection, and of each policy in it. */
const bytesOfSelection = 400, bytesOfSelected = 8;

/** The bytes of a policy that has only some of its rules in a selection. */
const bytesOfPart = 300;

/** The selection where no policy may be about a request. */
export const noPolicies: PolicySelection = { policies: [], needsNamespaceLabels: false, needsRoles: false };

/** Finds the policies of a snapshot that may be about a request: {@link Snapshot.candidates}. */
export type Candidates = (
  phase: Phase,
  request: { readonly kind: string; readonly operation: string; readonly namespace: string },
) => readonly CompiledPolicy[];

/**
 * The selections of one snapshot. tests/bench/plan_bench.ts: without their memory the patterns take 45 % more, the
 * merges 9 %. When what is prepared reaches its limit all are dropped, and made again for the next requests.
 */
export class PolicySelections {
  readonly #candidates: Candidates;
  readonly #prepared: PreparedPolicies;
  /** The prepared rules in the selections, which are dropped with them. */
  #rules: RulesForTypes;
  /** Selections by the list that the index found, which is the same list for requests that it does not distinguish. */
  #remembered = new WeakMap<readonly CompiledPolicy[], RememberedSelections>();

  constructor(candidates: Candidates, prepared: PreparedPolicies) {
    this.#candidates = candidates;
    this.#prepared = prepared;
    this.#rules = prepared.rules;
  }

  /** The selection for a request, made once for all requests of the same type and query. */
  select(request: PolicyRequest, query: PolicyQuery): PolicySelection {
    const found = this.#candidates(query.phase, request);
    if (found.length === 0) return noPolicies;
    if (this.#rules !== this.#prepared.rules) this.#forget();
    let remembered = this.#remembered.get(found);
    if (remembered === undefined) {
      remembered = { differByNamespace: found.some(differsByNamespace), byKey: new Map() };
      this.#remembered.set(found, remembered);
    }
    const { policy = "" } = query;
    const key = remembered.differByNamespace ? `${policy}\n${request.namespace}` : policy;
    const alike = remembered.byKey.get(key) ?? [];
    for (const earlier of alike) if (isFor(earlier, request, query)) return earlier.selection;

    const selection = this.#make(found, request, query);
    // URLs name policies, too: only those that are there are remembered.
    if (selection.policies.length === 0 && query.policy !== undefined) return noPolicies;
    const made = rememberedSelection(selection, request, query);
    remembered.byKey.set(key, alike.length < maxRemembered ? [...alike, made] : [made]);
    this.#prepared.dropBeyondLimit();
    return selection;
  }

  #forget(): void {
    this.#rules = this.#prepared.rules;
    this.#remembered = new WeakMap();
  }

  #make(found: readonly CompiledPolicy[], request: PolicyRequest, query: PolicyQuery): PolicySelection {
    const prepared = queriedPolicies(found, query).map((each) => this.#rules.of(each, request));
    const selection = selectionOf(prepared, request, query);
    const whole = new Set(prepared), parts = selection.policies.filter((policy) => !whole.has(policy));
    const ofPolicies = bytesOfSelected * selection.policies.length + bytesOfPart * parts.length;
    this.#prepared.count(bytesOfSelection + ofPolicies);
    // Where labels of namespaces choose the policies, they are not the same each time.
    if (query.phase !== "validate" || selection.needsNamespaceLabels) return selection;
    return { ...selection, joint: JointPolicies.of(selection.policies, this.#prepared.groups) };
  }

  /**
   * The selection for a request that is to be explained: also the rules for other kinds, whose clauses the trace shows.
   */
  forExplanation(request: PolicyRequest, query: PolicyQuery): PolicySelection {
    const found = this.#candidates(query.phase, request);
    return selectionOf(queriedPolicies(found, query), request, query);
  }
}

function differsByNamespace({ policy, rules }: CompiledPolicy): boolean {
  return policy.overrides.length > 0 || rules.some(({ rule }) => rule.overrides.length > 0);
}

function rememberedSelection(
  selection: PolicySelection,
  { group, version, subresource }: PolicyRequest,
  { phase, failurePolicy, kind, rules }: PolicyQuery,
): RememberedSelection {
  return {
    type: { group, version, subresource },
    query: {
      phase,
      ...(failurePolicy && { failurePolicy }),
      ...(kind && { kind }),
      ...(rules && { rules }),
    },
    selection,
  };
}

function isFor({ type, query }: RememberedSelection, request: PolicyRequest, wanted: PolicyQuery): boolean {
  return query.failurePolicy === wanted.failurePolicy && query.rules === wanted.rules &&
    query.kind === wanted.kind && type.group === request.group && type.version === request.version &&
    type.subresource === request.subresource;
}

function queriedPolicies(found: readonly CompiledPolicy[], query: PolicyQuery): readonly CompiledPolicy[] {
  const { failurePolicy, policy: key, kind, rules = "all" } = query;
  return found.filter(({ policy }) =>
    (failurePolicy === undefined || policy.failurePolicy === failurePolicy) &&
    (kind === undefined || policy.kind === kind) &&
    (key === undefined
      ? rules !== "admission" || failurePolicy === undefined || policy.matchConditions.length === 0
      : policy.key === key) &&
    (rules === "all" || policy.admission)
  );
}

function selectionOf(
  policies: readonly CompiledPolicy[],
  request: PolicyRequest,
  query: PolicyQuery,
): PolicySelection {
  const { rules = "all" } = query;
  const rulesOf = policies.flatMap((policy) => policy.rules);
  const needsRoles = rulesOf.some((rule) => rule.needsRoles);
  if (rulesOf.some((rule) => rule.needsNamespaceLabels)) {
    return { policies, needsNamespaceLabels: true, needsRoles };
  }
  const kept = policies.flatMap((policy) =>
    rulesOfPass(policy, { rules, namespace: request.namespace, namespaceLabels: {} }) ?? []
  );
  return { policies: kept, needsNamespaceLabels: false, needsRoles };
}

/** The namespace and the kind of pass, which decide whether rules deny or only audit. */
export interface Pass {
  readonly rules: EvaluatedRules;
  readonly namespace: string;
  readonly namespaceLabels: JsonObject;
}

/** Selects the rules of a pass: at admission those that may deny or warn, otherwise the audit rules. */
export function rulesOfPass(
  compiled: CompiledPolicy,
  { rules, namespace, namespaceLabels }: Pass,
): CompiledPolicy | undefined {
  if (rules === "all") return compiled;
  const keep = (rule: CompiledRule): boolean => {
    // Rules that check the notes on images run before the answer: they read the object only, so they cost little.
    if (rule.type !== "validate") return rules === "admission";
    const waitedFor = compiled.policy.emitWarning || rule.action(namespace, namespaceLabels) === "Enforce";
    return waitedFor === (rules === "admission");
  };
  if (compiled.rules.every(keep)) return compiled;
  const kept = compiled.rules.filter(keep);
  return kept.length === 0 ? undefined : { ...compiled, rules: kept };
}
