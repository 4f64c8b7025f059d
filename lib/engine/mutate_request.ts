import type { LoadTracker } from "../context/mod.ts";
import { type Json, jsonLength } from "../json/mod.ts";
import { error, patchedObject } from "../rules/mod.ts";
import type { CompiledPolicy } from "./compiled.ts";
import { decide, strictestOf } from "./decide.ts";
import { type Decision, type PolicyResult, replaced, type RuleResult } from "./decision.ts";
import { mergeBatch } from "./plan/merge_batch.ts";
import { PolicyRun } from "./policy_run.ts";
import type { PolicyRequest } from "./request.ts";
import type { RequestView } from "./request_view.ts";

/** Runs mutations one policy after the other, each on the object that the one before left. */
export function mutate(
  policies: readonly CompiledPolicy[],
  start: RequestView,
  tracker: LoadTracker,
): Decision | Promise<Decision> {
  const results: PolicyResult[] = [];
  let view = start;
  return step(0);

  function step(from: number): Decision | Promise<Decision> {
    for (let index = from; index < policies.length; index++) {
      const row = mergeBatch({ policies, from: index }, view, tracker);
      if (row !== undefined) {
        results.push(...row.results);
        if (row.erred) break;
        view = row.view;
        index += row.results.length - 1;
        continue;
      }
      const run = new PolicyRun(policies[index]!, view, tracker);
      if (!run.advance()) return later(run, index);
      if (!take(run)) break;
    }
    return finish();
  }

  async function later(run: PolicyRun, index: number): Promise<Decision> {
    do await tracker.awaitLoads(); while (!run.advance());
    return take(run) ? step(index + 1) : finish();
  }

  /** Whether to continue: an error ends the request under failurePolicy Fail; under Ignore it drops most patches. */
  function take(run: PolicyRun): boolean {
    const { policy } = run.policy;
    if (!run.applies) return true;
    results.push({ policy, rules: run.results });
    const erred = run.results.some((result) => result.result === "error");
    if (run.results.every(isHarmless)) view = run.view;
    return !(erred && policy.failurePolicy === "Fail");
  }

  /** Computing the patch of a large object takes as long as a slice, and so does writing it into an answer. */
  function finish(): Decision | Promise<Decision> {
    const rest = tracker.rest();
    if (rest !== undefined) return rest.then(decided).then(rested);
    const decision = decided();
    return tracker.rest()?.then(() => decision) ?? decision;
  }

  async function rested(decision: Decision): Promise<Decision> {
    await tracker.rest();
    return decision;
  }

  function decided(): Decision {
    const failurePolicy = strictestOf(results);
    return withinBound(start.base.request, { results, object: view.object, effects: [], failurePolicy });
  }
}

/** Whether the changes of the policy's other rules count beside a result. */
function isHarmless(rule: RuleResult): boolean {
  return rule.result !== "error" || rule.meaning === "changesStay" || rule.meaning === "unbound";
}

/**
 * The most bytes of a patch: more than twice what the API server takes of an object. Objects share the values that
 * patches put into them many times, so a small object may be a gigabyte when its patch is written.
 */
const mostPatched = 8 * 1024 * 1024;

/** Makes the decision, without the patches when they are too large together. */
function withinBound(request: PolicyRequest, state: Parameters<typeof decide>[1]): Decision {
  const decision = decide(request, state);
  return jsonLength(decision.patch as unknown as Json, mostPatched) <= mostPatched
    ? decision
    : decide(request, { ...state, results: state.results.map(withoutPatches), object: request.object });
}

/** The results when their patches are dropped: each mutation is an error, which its failurePolicy answers. */
function withoutPatches({ policy, rules }: PolicyResult): PolicyResult {
  return {
    policy,
    rules: rules.map((rule) => patchedObject(rule) === undefined ? rule : replaced(rule, tooLarge)),
  };
}

const tooLarge = error(`the patch of all mutations of this object has more than ${mostPatched} characters`);
