import type { LoadTracker } from "../../context/mod.ts";
import { joinPatterns, type JointPatterns, maxJoint, type PatternTree } from "../../pattern/mod.ts";
import type { CompiledPolicy, CompiledRule } from "../compiled.ts";
import type { RuleResult } from "../decision.ts";
import type { EvaluatedPolicy } from "../policy_run.ts";
import type { RequestView } from "../request_view.ts";
import { constant } from "./constant_results.ts";

/** A policy that passes every object that agrees with its patterns. */
interface Member {
  /** The bits of its patterns. */
  readonly bits: number;
  readonly passed: EvaluatedPolicy;
}

/** Policies whose patterns are compared in one walk. */
interface Group {
  readonly policies: readonly CompiledPolicy[];
  readonly patterns: JointPatterns;
  readonly members: readonly Member[];
}

/** A group with the positions of its policies in a list. */
interface GroupOfList {
  readonly group: Group;
  readonly positions: readonly number[];
}

/** A policy of a list whose patterns can be joined with those of others. */
interface Candidate {
  readonly position: number;
  readonly policy: CompiledPolicy;
  readonly trees: readonly PatternTree[];
}

/** The bytes of a joined part of a pattern, and of a policy of a group. */
const bytesOfPart = 150, bytesOfMember = 350;

/**
 * The groups of joint patterns. Lists that begin with the same policies share theirs: those of most namespaces have the
 * policies of the cluster, and then some of the namespace.
 */
export class JointGroups {
  /** By the first policy. */
  readonly #made = new WeakMap<CompiledPolicy, readonly Group[]>();
  readonly #former: WeakMap<CompiledPolicy, readonly Group[]> | undefined;
  #bytes = 0;

  /** Takes over the groups of `former`, as soon as they are used again. */
  constructor(former?: JointGroups) {
    this.#former = former === undefined ? undefined : former.#made;
  }

  /** The estimated bytes of all groups, without those of `former` that were not taken over. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The group of some policies, made once. */
  of(candidates: readonly Candidate[]): GroupOfList {
    const first = candidates[0]!.policy, made = this.#made.get(first) ?? [];
    const positions = candidates.map(({ position }) => position);
    const isWanted = ({ policies }: Group): boolean => isOf(policies, candidates);
    const found = made.find(isWanted);
    if (found !== undefined) return { group: found, positions };
    const group = this.#former?.get(first)?.find(isWanted) ?? groupOf(candidates);
    this.#made.set(first, [...made, group]);
    this.#bytes += bytesOfPart * group.patterns.parts + bytesOfMember * candidates.length;
    return { group, positions };
  }
}

/** Whether a policy may be in a group with another one: those of the cluster have groups that all namespaces share. */
function isOfSameScope({ policy }: CompiledPolicy, first: CompiledPolicy | undefined): boolean {
  return first === undefined || first.policy.namespace === policy.namespace;
}

function isOf(policies: readonly CompiledPolicy[], candidates: readonly Candidate[]): boolean {
  return policies.length === candidates.length &&
    policies.every((policy, index) => policy === candidates[index]!.policy);
}

function groupOf(candidates: readonly Candidate[]): Group {
  const trees: PatternTree[] = [];
  const members = candidates.map(({ policy, trees: added }): Member => {
    const bits = (2 ** added.length - 1) << trees.length;
    trees.push(...added);
    return { bits, passed: passedBy(policy) };
  });
  return { policies: candidates.map(({ policy }) => policy), patterns: joinPatterns(trees), members };
}

/**
 * The policies of a list that only compare every object of a type with patterns. Their patterns are compared in one
 * walk: most objects agree with most policies, and a request then evaluates only the others. tests/bench/plan_bench.ts:
 * without it the patterns take three times as long.
 */
export class JointPolicies {
  readonly #policies: readonly CompiledPolicy[];
  readonly #groups: readonly GroupOfList[];

  private constructor(policies: readonly CompiledPolicy[], groups: readonly GroupOfList[]) {
    this.#policies = policies;
    this.#groups = groups;
  }

  /** Joins the policies of a list; `undefined` when there are not two for it. */
  static of(policies: readonly CompiledPolicy[], made: JointGroups): JointPolicies | undefined {
    const groups: GroupOfList[] = [];
    let candidates: Candidate[] = [], count = 0;
    const close = (): void => {
      if (candidates.length > 1) groups.push(made.of(candidates));
      candidates = [];
      count = 0;
    };
    for (const [position, policy] of policies.entries()) {
      const trees = treesOf(policy);
      if (trees === undefined) continue;
      if (count + trees.length > maxJoint || !isOfSameScope(policy, candidates[0]?.policy)) close();
      candidates.push({ position, policy, trees });
      count += trees.length;
    }
    close();
    return groups.length === 0 ? undefined : new JointPolicies(policies, groups);
  }

  /** The policies, with the results of those that pass. */
  evaluate(view: RequestView, tracker: LoadTracker): readonly (CompiledPolicy | EvaluatedPolicy)[] {
    const { object, operation, base: { background, watch } } = view;
    // Those who watch see each rule being evaluated. A deletion has no object to compare.
    const isApart = watch !== undefined || background !== undefined || operation === "DELETE";
    if (isApart || object === undefined || !view.hasObject || tracker.beforeRule() !== "go") {
      return this.#policies;
    }
    const evaluated: (CompiledPolicy | EvaluatedPolicy)[] = [...this.#policies];
    for (const { group: { patterns, members }, positions } of this.#groups) {
      const doubtful = patterns.doubtful(object, { left: mostSteps });
      for (let index = 0; index < members.length; index++) {
        const { bits, passed } = members[index]!;
        if ((doubtful & bits) === 0) evaluated[positions[index]!] = passed;
      }
    }
    return evaluated;
  }
}

/** The steps of a walk. Usual ones take some hundred; the policies of a longer one are evaluated by themselves. */
const mostSteps = 10_000;

/** The patterns of a policy, if they alone decide whether it passes; `undefined` for others. */
function treesOf({ policy, rules, matchConditions }: CompiledPolicy): PatternTree[] | undefined {
  if (matchConditions !== undefined || policy.overrides.length > 0) return undefined;
  if (rules.length > 1 && policy.applyRules === "One" || rules.length > maxJoint) return undefined;
  const trees = rules.flatMap((rule) => treeOf(rule) ?? []);
  return trees.length === rules.length && trees.length > 0 ? trees : undefined;
}

function treeOf({ type, selectsAll, bodyAlone, rule, body }: CompiledRule): PatternTree | undefined {
  const decides = type === "validate" && selectsAll === true && bodyAlone === true &&
    rule.overrides.length === 0;
  return decides ? body.tree : undefined;
}

/** The results of a policy whose rules all pass. */
function passedBy(policy: CompiledPolicy): EvaluatedPolicy {
  const results = policy.rules.flatMap((rule): readonly RuleResult[] => {
    // Without overrides the action is the same in every namespace.
    const action = rule.action("", {}), [passed] = rule.body.constants!;
    return rule.constantResults.of(passed!, action)!;
  });
  return { policy, applies: true, results: constant(results), effects: [] };
}
