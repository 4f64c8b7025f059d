import { type AbsentSource, LoadTracker, untilLoaded } from "../context/mod.ts";
import { type Fault, isFault } from "../json/mod.ts";
import { hasRules } from "../policy/mod.ts";
import type { Ports } from "../ports.ts";
import { type PolicyQuery, type PolicySelection, rulesOfPass } from "./plan/policy_selection.ts";
import type { CompiledPolicy } from "./compiled.ts";
import { decide, strictestOf } from "./decide.ts";
import type { Decision, PolicyResult } from "./decision.ts";
import { type Facts, gatherFacts, type NeededFacts } from "./facts.ts";
import { mutate } from "./mutate_request.ts";
import { tracePassedOver } from "./passed_over.ts";
import { withRequiredImages } from "./required_images.ts";
import { type EvaluatedPolicy, runAll } from "./policy_run.ts";
import { ofParent } from "./parent_kinds.ts";
import type { Phase } from "./phase.ts";
import type { PolicyRequest } from "./request.ts";
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
  const selection = select(options);
  const images = options.phase === "mutate" ? verifying(selectForImages(), options) : nothing;
  const policies = images.policies.length === 0
    ? selection.policies
    : [...selection.policies, ...images.policies];
  if (policies.length === 0 && trace === undefined) return untouched(request);
  const tracker = new LoadTracker({ ports, deadline, absent, budget, observer: trace });
  const facts = untilLoaded(tracker, () => gatherFacts(request, joinedNeeds(selection, images), tracker));
  const decision = facts instanceof Promise ? facts.then((gathered) => start(gathered)) : start(facts);
  return decision instanceof Promise ? decision.finally(() => tracker.end()) : decision;

  function start(facts: Facts | Fault): Decision | Promise<Decision> {
    if (isFault(facts)) return factsMissing(request, policies, facts.message);
    const now = ports.clock.now();
    const view = RequestView.of({
      request,
      facts,
      tracker,
      environment: { now: () => now, random: () => tracker.random(), budget: tracker.steps },
      given: options.given,
      background: options.background,
      trace,
      watch: trace ?? options.watch,
    });
    if (trace !== undefined) tracePassedOver(trace, { snapshot, view }, { ...options, selected: policies });
    const chosen = { selection: chosenOf(selection, facts), images: chosenOf(images, facts) };
    const decision = runPhase(options.phase, { ...chosen, joint: selection.joint, tracker }, view);
    return trace === undefined ? decision : recorded(decision, trace);
  }

  function selectForImages(): PolicySelection {
    if (snapshot.candidates("verifyImages", request).length === 0) return nothing;
    return select({ ...options, phase: "verifyImages" });
  }

  /** An explanation also shows the rules for other kinds. */
  function select(query: PolicyQuery): PolicySelection {
    const { selections } = snapshot;
    return trace === undefined
      ? selections.select(request, query)
      : selections.forExplanation(request, query);
  }

  function chosenOf(
    { policies, needsNamespaceLabels }: PolicySelection,
    { namespaceLabels }: Facts,
  ): PolicySelection["policies"] {
    if (!needsNamespaceLabels) return policies;
    const pass = { rules: options.rules ?? "all", namespace: request.namespace, namespaceLabels };
    return policies.flatMap((policy) => rulesOfPass(policy, pass) ?? []);
  }
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

const nothing: PolicySelection = { policies: [], needsNamespaceLabels: false, needsRoles: false };

/**
 * Images are verified after the mutations of a request. Kyverno parity: a ClusterPolicy or Policy with match
 * conditions, which has a separate webhook, never verifies images; its validate phase still denies images that no
 * policy verified. Pinned by "a classic policy with its own webhook path verifies no images".
 */
function verifying(
  { policies, ...needs }: PolicySelection,
  { policy: key }: EvaluateOptions,
): PolicySelection {
  if (key === undefined) return { policies, ...needs };
  const kept = policies.filter(({ policy: { kind } }) => !hasRules(kind));
  return { policies: kept, ...needs };
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

function joinedNeeds(
  one: PolicySelection,
  other: PolicySelection,
): NeededFacts {
  return {
    needsNamespaceLabels: one.needsNamespaceLabels || other.needsNamespaceLabels,
    needsRoles: one.needsRoles || other.needsRoles,
  };
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
    const applied = runs.filter((run) => run.applies);
    const results = withRequiredImages(
      applied.map((run): PolicyResult => ({ policy: run.policy.policy, rules: run.results })),
    );
    const effects = runs.flatMap((run) => run.effects);
    const failurePolicy = strictestOf(results);
    return decide(view.base.request, { results, object: view.object, effects, failurePolicy });
  }
}
