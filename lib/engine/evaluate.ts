import { type AbsentSource, RequestStore, untilSettled } from "../context/mod.ts";
import { type Fault, isFault } from "../json/mod.ts";
import { diff } from "../patch/mod.ts";
import type { FailurePolicy } from "../policy/mod.ts";
import type { Ports } from "../ports.ts";
import { type Agenda, agendaFor, explainedAgenda, type Question, rulesOfPass } from "./agenda.ts";
import type { CompiledPolicy } from "./compiled.ts";
import type { Decision, PolicyResult } from "./decision.ts";
import { type Facts, gatherFacts } from "./facts.ts";
import { tracePassedOver } from "./passed_over.ts";
import { PolicyRun } from "./policy_run.ts";
import type { PolicyRequest } from "./request.ts";
import { type Background, type GivenValues, RequestView } from "./request_view.ts";
import type { Snapshot } from "./snapshot.ts";
import type { Trace } from "./trace.ts";

/** Which policies are asked, and how. */
export interface EvaluateOptions extends Question {
  readonly given?: GivenValues;
  /** What cannot be loaded here: entries that count as not declared, the cluster of generate rules. */
  readonly absent?: readonly AbsentSource[];
  /** Set after the answer, for phases whose effects shall be carried out. */
  readonly background?: Background;
  /** Makes the signal that ends loads of external values; asked for when the first load begins. */
  readonly deadline?: () => AbortSignal;
  /** Milliseconds for the request: rules that are not reached in time answer with an error. */
  readonly budget?: number;
  /** Is told how the decision comes about: made for this one evaluation, and read afterwards. */
  readonly trace?: Trace;
}

/**
 * Decides a request. Without external values it answers at once; otherwise with a promise. It never throws for what a
 * policy or a request contains.
 */
export function evaluate(
  snapshot: Snapshot,
  request: PolicyRequest,
  options: EvaluateOptions & { readonly ports: Ports },
): Decision | Promise<Decision> {
  const { ports, deadline, absent, budget, trace } = options;
  // Whoever wants explanations also wants to know which rules are for other kinds.
  const agenda = trace === undefined
    ? agendaFor(snapshot, request, options)
    : explainedAgenda(snapshot, request, options);
  const { policies } = agenda;
  if (policies.length === 0 && trace === undefined) return untouched(request);
  const store = new RequestStore({ ports, deadline, absent, budget, observer: trace });
  const facts = untilSettled(store, () => gatherFacts(request, agenda, store));
  return facts instanceof Promise ? facts.then((known) => start(known)) : start(facts);

  function start(facts: Facts | Fault): Decision | Promise<Decision> {
    if (isFault(facts)) return factsMissing(request, policies, facts.message);
    const { clock, entropy } = ports;
    const now = clock.now();
    const view = RequestView.of({
      request,
      facts,
      store,
      environment: { now: () => now, random: () => entropy.next() },
      given: options.given,
      background: options.background,
      trace,
    });
    if (trace !== undefined) tracePassedOver(trace, { snapshot, view }, { ...options, asked: policies });
    const chosen = agenda.needsNamespaceLabels ? chosenByLabels(policies, facts) : policies;
    return options.phase === "mutate" ? mutate(chosen, view, store) : validate(chosen, view, store);
  }

  function chosenByLabels(policies: Agenda["policies"], { namespaceLabels }: Facts): CompiledPolicy[] {
    const pass = { rules: options.rules ?? "all", namespace: request.namespace, namespaceLabels };
    return policies.flatMap((policy) => rulesOfPass(policy, pass) ?? []);
  }
}

function untouched(request: PolicyRequest): Decision {
  const { uid, object } = request;
  return {
    uid,
    allowed: true,
    results: [],
    denial: undefined,
    object,
    patch: [],
    effects: [],
    failurePolicy: "Ignore",
  };
}

/** Without the facts that matching needs, nobody knows which rules match: failurePolicy decides. */
function factsMissing(request: PolicyRequest, policies: readonly CompiledPolicy[], cause: string): Decision {
  const strictest = policies.some(({ policy }) => policy.failurePolicy === "Fail") ? "Fail" : "Ignore";
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
  return decide(request, { results, object: request.object, effects: [], failurePolicy: strictest });
}

function validate(
  policies: readonly CompiledPolicy[],
  view: RequestView,
  store: RequestStore,
): Decision | Promise<Decision> {
  const runs = policies.map((policy) => new PolicyRun(policy, view, store));
  const open = runs.filter((run) => !run.advance());
  return open.length === 0 ? finish() : later();

  /** All open policies load side by side; each goes on where it stopped. */
  async function later(): Promise<Decision> {
    for (let waiting = open; waiting.length > 0;) {
      await store.settle();
      waiting = waiting.filter((run) => !run.advance());
    }
    return finish();
  }

  function finish(): Decision {
    const asked = runs.filter((run) => run.isAsked);
    const failurePolicy = asked.some(({ policy }) => policy.policy.failurePolicy === "Fail")
      ? "Fail"
      : "Ignore";
    const results = asked.map((run): PolicyResult => ({ policy: run.policy.policy, rules: run.results }));
    const effects = runs.flatMap((run) => run.effects);
    return decide(view.base.request, { results, object: view.object, effects, failurePolicy });
  }
}

/** Mutations run one policy after the other, each on the object that the one before left. */
function mutate(
  policies: readonly CompiledPolicy[],
  start: RequestView,
  store: RequestStore,
): Decision | Promise<Decision> {
  const results: PolicyResult[] = [];
  let view = start;
  return step(0);

  function step(from: number): Decision | Promise<Decision> {
    for (let index = from; index < policies.length; index++) {
      const run = new PolicyRun(policies[index]!, view, store);
      if (!run.advance()) return later(run, index);
      if (!take(run)) break;
    }
    return finish();
  }

  async function later(run: PolicyRun, index: number): Promise<Decision> {
    do await store.settle(); while (!run.advance());
    return take(run) ? step(index + 1) : finish();
  }

  /** Whether to go on: an error under failurePolicy Fail ends the request, under Ignore it drops its policy's patches. */
  function take(run: PolicyRun): boolean {
    const { policy } = run.policy;
    if (!run.isAsked) return true;
    results.push({ policy, rules: run.results });
    const erred = run.results.some((result) => result.result === "error");
    if (!erred) view = run.view;
    return !(erred && policy.failurePolicy === "Fail");
  }

  function finish(): Decision {
    const failurePolicy = results.some(({ policy }) => policy.failurePolicy === "Fail") ? "Fail" : "Ignore";
    return decide(start.base.request, { results, object: view.object, effects: [], failurePolicy });
  }
}

function decide(
  request: PolicyRequest,
  state: Pick<Decision, "results" | "object" | "effects" | "failurePolicy">,
): Decision {
  const denial = denialOf(state.results, state.failurePolicy);
  const changed = denial === undefined && state.object !== undefined && state.object !== request.object;
  return {
    ...state,
    uid: request.uid,
    allowed: denial === undefined,
    denial,
    object: changed ? state.object : request.object,
    patch: changed ? diff(request.object ?? {}, state.object!) : [],
  };
}

/**
 * Kyverno parity: one policy with failurePolicy Fail makes the errors of all policies of the request block. A rule that
 * could not even be loaded answers to its own policy alone.
 */
function denialOf(results: readonly PolicyResult[], strictest: FailurePolicy): Decision["denial"] {
  for (const { policy, rules } of results) {
    for (const rule of rules) {
      // What rules do to other objects is no reason to refuse this one.
      if (rule.type === "generate" || rule.type === "mutateExisting") continue;
      if (rule.type === "mutate") {
        if (rule.result === "error" && policy.failurePolicy === "Fail") return "mutate";
      } else if (rule.action === "Enforce") {
        const isClassic = policy.kind === "ClusterPolicy" || policy.kind === "Policy";
        const judge = rule.unusable || !isClassic ? policy.failurePolicy : strictest;
        if (rule.result === "fail" || rule.blocks) return "validate";
        if (rule.result === "error" && judge === "Fail") return "validate";
      }
    }
  }
  return undefined;
}
