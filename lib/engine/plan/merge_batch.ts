import type { LoadTracker } from "../../context/mod.ts";
import { Draft } from "../../patch/mod.ts";
import type { CompiledPolicy, CompiledRule } from "../compiled.ts";
import type { PolicyResult } from "../decision.ts";
import { resultsFrom } from "../evaluate_rule.ts";
import type { RequestView } from "../request_view.ts";

/** The results of policies that were merged one after the other into one draft. */
export interface MergedBatch {
  readonly results: readonly PolicyResult[];
  /** The request after all merges. */
  readonly view: RequestView;
  /** Whether the last policy erred, which ends the request. */
  readonly erred: boolean;
}

/**
 * Runs consecutive policies of a list whose only rule merges one patch into every object of the request's type. No
 * expression reads the object between them, so all write into the same draft; the results equal those of a PolicyRun
 * for each. `undefined` when the first policy is of another kind. tests/bench/plan_bench.ts: without it the merges
 * take 16 % more.
 *
 * An error under failurePolicy Fail denies the request, so the draft is dropped. Under Ignore the draft would have to
 * be restored, so such policies are left out.
 */
export function mergeBatch(
  { policies, from }: { readonly policies: readonly CompiledPolicy[]; readonly from: number },
  view: RequestView,
  tracker: LoadTracker,
): MergedBatch | undefined {
  const { object } = view;
  const { trace, given, background, watch } = view.base;
  // Traces and background evaluations read the object after each policy.
  if (object === undefined || trace !== undefined || given !== undefined || background !== undefined) {
    return undefined;
  }
  if (view.candidate()?.resource !== object) return undefined;
  const results: PolicyResult[] = [];
  const draft = new Draft(object);
  let erred = false;
  try {
    for (let index = from; index < policies.length && !erred; index++) {
      const { policy } = policies[index]!;
      const rule = soleMerge(policies[index]!);
      if (rule === undefined || tracker.beforeRule() !== "go") break;
      watch?.begin(policy, rule);
      const outcome = rule.body.merge!(draft);
      const rules = resultsFrom(outcome, rule, view);
      watch?.finish(rules, object);
      results.push({ policy, rules });
      erred = outcome.result === "error";
    }
  } catch {
    // A bug in Postern: running each policy by itself shows whose it is.
    return undefined;
  }
  if (results.length === 0) return undefined;
  return { results, erred, view: draft.resource === object ? view : view.mutated(draft.resource) };
}

/** The only rule of a policy, if it has nothing but a body and the body merges a constant patch. */
function soleMerge({ policy, rules, matchConditions }: CompiledPolicy): CompiledRule | undefined {
  const rule = rules.length === 1 ? rules[0] : undefined;
  if (rule?.body.merge === undefined || rule.selectsAll !== true || rule.bodyAlone !== true) return undefined;
  return matchConditions === undefined && policy.failurePolicy === "Fail" ? rule : undefined;
}
