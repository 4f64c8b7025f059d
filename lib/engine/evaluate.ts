import { type AbsentSource, LoadTracker, untilLoaded } from "../context/mod.ts";
import { type Fault, isFault } from "../json/mod.ts";
import type { Ports } from "../ports.ts";
import type { PolicyQuery, PolicySelection } from "./plan/policy_selection.ts";
import type { CompiledPolicy } from "./compiled.ts";
import { decide, strictestOf } from "./decide.ts";
import type { Decision, PolicyResult } from "./decision.ts";
import { type Facts, gatherFacts } from "./facts.ts";
import { mutate } from "./mutate_request.ts";
import { tracePassedOver } from "./passed_over.ts";
import { withRequiredImages } from "./required_images.ts";
import { type EvaluatedPolicy, runAll } from "./policy_run.ts";
import { ofParent } from "./parent_kinds.ts";
import type { Phase } from "./phase.ts";
import type { PolicyRequest } from "./request.ts";
import { policiesOfPass, type RequestPolicies, selectPolicies } from "./request_policies.ts";
import { type Background, type GivenValues, RequestView } from "./request_view.ts";
import type { RuleWatch } from "./rule_watch.ts";
import type { Snapshot } from "./snapshot.ts";
import type { Trace } from "./trace.ts";
import { verifyImages } from "./verify_images.ts";

/** The policies to evaluate, and the options of the evaluation. */
export interface EvaluateOptions extends PolicyQuery {
  readonly given?: GivenValues;
  /**
   * The sources that cannot be loaded here. Context entries of these kinds count as not declared; `downstream` is the
   * cluster of generate rules.
   */
  readonly absent?: readonly AbsentSource[];
  /** Set after the answer, for phases whose effects are carried out. */
  readonly background?: Background;
  /** Makes the signal that ends loads of external values; called when the first load begins. */
  readonly deadline?: () => AbortSignal;
  /** Milliseconds for the request; rules that do not run in time answer with an error. */
  readonly budget?: number;
  /** Records how the decision is made. A trace is for one evaluation, and is read afterwards. */
  readonly trace?: Trace;
  /** Called around each rule, which costs less than a trace; not called when there is a trace. */
  readonly watch?: RuleWatch | undefined;
}

/**
 * Decides a request. Without external values it returns the decision at once, otherwise a promise. It never throws,
 * whatever a policy or a request contains.
 */
export function evaluate(
  snapshot: Snapshot,
  received: PolicyRequest,
  options: EvaluateOptions & { readonly ports: Ports },
): Decision | Promise<Decision> {
  const request = ofParent(received, snapshot.parents);
  const { ports, deadline, absent, budget, trace } = options;
  const policies = selectPolicies(snapshot, request, { query: options, isExplained: trace !== undefined });
  if (policies.all.length === 0 && trace === undefined) return untouched(request);
  const tracker = new LoadTracker({
    ports,
    deadline,
    absent,
    budget,
    lane: request.namespace,
    observer: trace,
  });
  const gather = () => untilLoaded(tracker, () => gatherFacts(request, policies.needs, tracker));
  const facts = tracker.turn()?.then(gather) ?? gather();
  const start = (facts: Facts | Fault) =>
    isFault(facts)
      ? factsMissing(request, policies.all, facts.message)
      : run({ snapshot, request, policies, facts, tracker }, options);
  const decision = facts instanceof Promise ? facts.then(start) : start(facts);
  return decision instanceof Promise ? decision.finally(() => tracker.end()) : decision;
}

/** A request with the policies that may be about it, and the facts that these match. */
interface MatchableRequest {
  readonly snapshot: Snapshot;
  readonly request: PolicyRequest;
  readonly policies: RequestPolicies;
  readonly facts: Facts;
  readonly tracker: LoadTracker;
}

/** Runs the policies that may be about a request. */
function run(
  { snapshot, request, policies, facts, tracker }: MatchableRequest,
  options: EvaluateOptions & { readonly ports: Ports },
): Decision | Promise<Decision> {
  const { ports, given, background, trace, phase, rules = "all" } = options;
  const now = ports.clock.now();
  const view = RequestView.of({
    request,
    facts,
    tracker,
    environment: { now: () => now, random: () => tracker.random(), budget: tracker.steps },
    given,
    background,
    trace,
    watch: trace ?? options.watch,
  });
  const { selection, images } = policies, pass = { rules, facts };
  if (trace !== undefined) tracePassedOver(trace, { snapshot, view }, { ...options, selected: policies.all });
  const decision = runPhase(phase, {
    selection: policiesOfPass(selection, request, pass),
    images: policiesOfPass(images, request, pass),
    joint: selection.joint,
    tracker,
  }, view);
  return trace === undefined ? decision : recorded(decision, trace);
}

/** Records the decision in the trace. */
function recorded(decision: Decision | Promise<Decision>, trace: Trace): Decision | Promise<Decision> {
  if (decision instanceof Promise) return decision.then((decided) => recorded(decided, trace));
  trace.decide(decision);
  return decision;
}

interface ChosenPolicies {
  readonly selection: readonly CompiledPolicy[];
  readonly joint: PolicySelection["joint"];
  /** The policies that verify images after mutations. */
  readonly images: readonly CompiledPolicy[];
  readonly tracker: LoadTracker;
}

function runPhase(
  phase: Phase,
  { selection, joint, images, tracker }: ChosenPolicies,
  view: RequestView,
): Decision | Promise<Decision> {
  switch (phase) {
    case "mutate":
      return mutateAndVerify({ mutating: selection, verifying: images }, view, tracker);
    case "verifyImages":
      return verifyImages(selection, view, { tracker, mutated: untouched(view.base.request) });
    default:
      return validate({ policies: selection, joint }, view, tracker);
  }
}

/** Runs the mutations, then verifies the images of the mutated object. */
function mutateAndVerify(
  { mutating, verifying }: Readonly<Record<"mutating" | "verifying", readonly CompiledPolicy[]>>,
  view: RequestView,
  tracker: LoadTracker,
): Decision | Promise<Decision> {
  const decision = mutate(mutating, view, tracker);
  if (verifying.length === 0) return decision;
  return decision instanceof Promise
    ? decision.then((mutated) => verifyImages(verifying, view, { tracker, mutated }))
    : verifyImages(verifying, view, { tracker, mutated: decision });
}

function untouched(request: PolicyRequest): Decision {
  const { uid, object } = request;
  return {
    uid,
    allowed: true,
    results: [],
    denying: [],
    object,
    patch: [],
    effects: [],
    failurePolicy: "Ignore",
  };
}

/** Without the facts that matching reads it is unknown which rules match, so the failurePolicy decides. */
function factsMissing(request: PolicyRequest, policies: readonly CompiledPolicy[], cause: string): Decision {
  const results = policies.map(({ policy, rules }): PolicyResult => ({
    policy,
    rules: rules.map((rule) => ({
      result: "error",
      message: `failed to create policy context: ${cause}`,
      rule: rule.rule.name,
      type: rule.type,
      action: rule.action(request.namespace, {}),
    })),
  }));
  return decide(request, {
    results,
    object: request.object,
    effects: [],
    failurePolicy: strictestOf(policies),
  });
}

function validate(
  { policies, joint }: Pick<PolicySelection, "policies" | "joint">,
  view: RequestView,
  tracker: LoadTracker,
): Decision | Promise<Decision> {
  const runs = runAll(joint?.evaluate(view, tracker) ?? policies, view, tracker);
  return runs instanceof Promise ? runs.then(finish) : finish(runs);

  function finish(runs: readonly EvaluatedPolicy[]): Decision {
    const applied = runs.every(({ applies }) => applies) ? runs : runs.filter(({ applies }) => applies);
    const results = withRequiredImages(
      applied.map(({ policy, results }): PolicyResult => ({ policy: policy.policy, rules: results })),
    );
    const effects = runs.some(({ effects }) => effects.length > 0) ? runs.flatMap((run) => run.effects) : [];
    const failurePolicy = strictestOf(results);
    return decide(view.base.request, { results, object: view.object, effects, failurePolicy });
  }
}
