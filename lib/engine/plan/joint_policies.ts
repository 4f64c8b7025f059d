import type { LoadTracker } from "../../context/mod.ts";
import { joinPatterns, type JointPatterns, maxJoint, type PatternTree } from "../../pattern/mod.ts";
import type { CompiledPolicy, CompiledRule } from "../compiled.ts";
import type { RuleResult } from "../decision.ts";
import type { PolicyOutcome } from "../policy_run.ts";
import type { RequestView } from "../request_view.ts";
import { constant } from "./constant_results.ts";

/** A policy that passes every object that agrees with its patterns. */
interface Member {
  /** The policy's place in the list. */
  readonly index: number;
  /** The bits of its patterns. */
  readonly bits: number;
  readonly passed: PolicyOutcome;
}

interface Group {
  readonly patterns: JointPatterns;
  readonly members: readonly Member[];
}

/**
 * The policies of a list that only compare every object of a type with patterns. Their patterns are compared in one
 * walk: most objects agree with most policies, and a request then evaluates only the others. tests/bench/plan_bench.ts:
 * without it the patterns take three times as long.
 */
export class JointPolicies {
  readonly #policies: readonly CompiledPolicy[];
  readonly #groups: readonly Group[];

  private constructor(policies: readonly CompiledPolicy[], groups: readonly Group[]) {
    this.#policies = policies;
    this.#groups = groups;
  }

  /** Joins the policies of a list; `undefined` when there are not two for it. */
  static of(policies: readonly CompiledPolicy[]): JointPolicies | undefined {
    const groups: Group[] = [];
    let members: Member[] = [], trees: PatternTree[] = [];
    const close = (): void => {
      if (members.length > 1) groups.push({ patterns: joinPatterns(trees), members });
      members = [];
      trees = [];
    };
    for (const [index, policy] of policies.entries()) {
      const added = treesOf(policy);
      if (added === undefined) continue;
      if (trees.length + added.length > maxJoint) close();
      members.push({ index, bits: (2 ** added.length - 1) << trees.length, passed: passedBy(policy) });
      trees.push(...added);
    }
    close();
    return groups.length === 0 ? undefined : new JointPolicies(policies, groups);
  }

  /** The policies, with the outcomes of those that pass. */
  outcomes(view: RequestView, store: LoadTracker): readonly (CompiledPolicy | PolicyOutcome)[] {
    const { object, operation, base: { background, watch } } = view;
    // Those who watch see each rule being evaluated. A deletion has no object to compare.
    const isApart = watch !== undefined || background !== undefined || operation === "DELETE";
    if (isApart || object === undefined || !view.hasObject || store.beforeRule() !== "go") {
      return this.#policies;
    }
    const outcomes: (CompiledPolicy | PolicyOutcome)[] = [...this.#policies];
    for (const { patterns, members } of this.#groups) {
      const doubtful = patterns.doubtful(object, { left: mostSteps });
      for (const { index, bits, passed } of members) if ((doubtful & bits) === 0) outcomes[index] = passed;
    }
    return outcomes;
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

/** The outcome of a policy whose rules all pass. */
function passedBy(policy: CompiledPolicy): PolicyOutcome {
  const results = policy.rules.flatMap((rule): readonly RuleResult[] => {
    // Without overrides the action is the same in every namespace.
    const action = rule.action("", {}), [passed] = rule.body.constants!;
    return rule.constantResults.of(passed!, action)!;
  });
  return { policy, applies: true, results: constant(results), effects: [] };
}
