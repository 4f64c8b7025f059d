import type { LoadTracker } from "../context/mod.ts";
import { type Json, jsonLength } from "../json/mod.ts";
import { error, patchedObject } from "../rules/mod.ts";
import type { CompiledPolicy } from "./compiled.ts";
import { decide, strictestOf } from "./decide.ts";
import { type Decision, type PolicyResult, replaced, type RuleResult, superseded } from "./decision.ts";
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
  return new RequestMutation(policies, start, tracker).from(0);
}

/** The mutation of one request: its results so far, and the view with the object as the policies so far left it. */
class RequestMutation {
  readonly #policies: readonly CompiledPolicy[];
  readonly #request: PolicyRequest;
  readonly #tracker: LoadTracker;
  readonly #results: PolicyResult[] = [];
  #view: RequestView;

  constructor(policies: readonly CompiledPolicy[], start: RequestView, tracker: LoadTracker) {
    this.#policies = policies;
    this.#request = start.base.request;
    this.#view = start;
    this.#tracker = tracker;
  }

  /** Runs the policies from this index on, at once until one waits for a value. */
  from(first: number): Decision | Promise<Decision> {
    for (let index = first; index < this.#policies.length; index++) {
      const batch = mergeBatch({ policies: this.#policies, from: index }, this.#view, this.#tracker);
      if (batch !== undefined) {
        this.#results.push(...batch.results);
        if (batch.erred) break;
        this.#view = batch.view;
        index += batch.results.length - 1;
        continue;
      }
      const run = new PolicyRun(this.#policies[index]!, this.#view, this.#tracker);
      if (!run.advance()) return this.#afterLoads(run, index);
      if (!this.#take(run)) break;
    }
    return this.#finish();
  }

  /** Continues when the values that a policy waits for are loaded. */
  async #afterLoads(run: PolicyRun, index: number): Promise<Decision> {
    do await this.#tracker.awaitLoads(); while (!run.advance());
    return this.#take(run) ? this.from(index + 1) : this.#finish();
  }

  /** Whether to continue: an error ends the request under failurePolicy Fail; under Ignore it drops most patches. */
  #take(run: PolicyRun): boolean {
    const { policy } = run.policy;
    if (!run.applies) return true;
    this.#push({ policy, rules: run.results });
    const erred = run.results.some((result) => result.result === "error");
    if (run.results.every(isHarmless)) this.#view = run.view;
    return !(erred && policy.failurePolicy === "Fail");
  }

  /** Adds the results of a policy; a later change of the object takes the place of the former one. */
  #push(result: PolicyResult): void {
    const former = this.#results.at(-1);
    if (former !== undefined && this.#view.base.trace === undefined) {
      this.#results[this.#results.length - 1] = { ...former, rules: former.rules.map(superseded) };
    }
    this.#results.push(result);
  }

  /** Computing the patch of a large object takes as long as a slice, and so does writing it into an answer. */
  #finish(): Decision | Promise<Decision> {
    const rest = this.#tracker.rest();
    if (rest !== undefined) return this.#finishAfter(rest);
    const decision = this.#decide();
    return this.#tracker.rest()?.then(() => decision) ?? decision;
  }

  async #finishAfter(rest: Promise<void>): Promise<Decision> {
    await rest;
    const decision = this.#decide();
    await this.#tracker.rest();
    return decision;
  }

  #decide(): Decision {
    const results = this.#results, failurePolicy = strictestOf(results);
    return withinBound(this.#request, { results, object: this.#view.object, effects: [], failurePolicy });
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
