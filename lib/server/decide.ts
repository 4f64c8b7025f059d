import { isFault } from "../json/mod.ts";
import {
  type Decision,
  evaluate,
  isFailOrError,
  type Phase,
  type PolicyRequest,
  type Snapshot,
} from "../engine/mod.ts";
import type { LongNumbers } from "../patch/mod.ts";
import type { FailurePolicy } from "../policy/mod.ts";
import type { Log, Ports } from "../ports.ts";
import { type AdmissionResponse, admissionResponse, reviewedResource } from "../report/mod.ts";
import { Deadline } from "./deadline.ts";
import type { Metrics } from "./metrics/metrics.ts";
import type { Route } from "./review_route.ts";
import { type EvaluationSpans, joinedWatch, type Tracing } from "./tracing.ts";

/** The ports and listeners of deciding requests. */
export interface DecidePhaseOptions {
  readonly ports: Ports;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly tracing?: Tracing | undefined;
  /** Called with every decision, of admission and of audits, for events and reports. It must not throw or take long. */
  readonly decided?: (decision: Decision, request: PolicyRequest) => void;
}

/** The response to a review, and the work that follows it. */
export interface ReviewResponse {
  readonly response: AdmissionResponse;
  /** Counts and logs the decision, which the API server need not wait for. To be called once, after the answer. */
  readonly afterwards: () => void;
}

/** The policies of one request, and its time limit. */
export interface ReviewOptions extends Route {
  readonly snapshot: Snapshot;
  /** Milliseconds that the request may take. */
  readonly timeout: number;
  /** When the request arrived, on the clock of `performance.now()`. */
  readonly started: number;
  /** Whether the review is so large that other requests run before its response is written. */
  readonly isLarge?: boolean;
  /** Called when the decision waits; the result is called when it is made. */
  readonly waits?: ((deadline: Deadline) => () => void) | undefined;
  /** The digits of the numbers of the object that doubles do not hold. */
  readonly longNumbers?: LongNumbers | undefined;
}

/**
 * Decides a request and makes the response, at once unless a value must be loaded. It never throws and never waits
 * past the deadline: when something fails inside, the failurePolicy decides, and the response has the request's uid.
 */
export function decide(
  request: PolicyRequest,
  options: ReviewOptions,
  setting: DecidePhaseOptions,
): ReviewResponse | Promise<ReviewResponse> {
  const { snapshot, phase, failurePolicy, policy, timeout, started } = options;
  const { ports, metrics, tracing } = setting;
  const spans = tracing?.begin({ request, phase, rules: "admission", ports, started });
  const deadline = new Deadline(timeout);
  const evaluation: Evaluation = { request, options, setting, spans };
  try {
    const decision = evaluate(snapshot, request, {
      phase,
      rules: "admission",
      ports: spans?.ports ?? ports,
      budget: timeout,
      deadline: () => deadline.signal(),
      watch: joinedWatch(metrics.times.watch(started), spans),
      ...(failurePolicy && { failurePolicy }),
      ...(policy !== undefined && { policy }),
    });
    if (!(decision instanceof Promise)) return respond(decision, evaluation);
    const done = options.waits?.(deadline);
    return respondLater(decision, evaluation).finally(() => {
      deadline.release();
      done?.();
    });
  } catch (cause) {
    deadline.release();
    return respondToException(cause, evaluation);
  }
}

/** The evaluation of a request. */
interface Evaluation {
  readonly request: PolicyRequest;
  readonly options: ReviewOptions;
  readonly setting: DecidePhaseOptions;
  readonly spans: EvaluationSpans | undefined;
}

async function respondLater(decision: Promise<Decision>, evaluation: Evaluation): Promise<ReviewResponse> {
  try {
    const decided = await decision;
    if (evaluation.options.isLarge === true) await evaluation.setting.ports.scheduler?.pause();
    return respond(decided, evaluation);
  } catch (cause) {
    return respondToException(cause, evaluation);
  }
}

function respond(decision: Decision, { request, options, setting, spans }: Evaluation): ReviewResponse {
  const { phase, started, longNumbers } = options;
  const written = admissionResponse(decision, reviewedResource(request), longNumbers);
  const response = isFault(written)
    ? failed(request, decision.failurePolicy, `the patch cannot be written: ${written.message}`)
    : written;
  const afterwards = (): void => {
    setting.metrics.decided(decision, request);
    setting.decided?.(decision, request);
    spans?.end(decision);
    logDecision(setting.log, { request, decision, phase, started });
  };
  return { response, afterwards };
}

function respondToException(
  cause: unknown,
  { request, options, setting, spans }: Evaluation,
): ReviewResponse {
  const message = cause instanceof Error ? cause.message : String(cause);
  spans?.end({ failure: message });
  setting.log.write("error", "evaluation failed", {
    uid: request.uid,
    cause: cause instanceof Error ? cause.stack ?? message : message,
  });
  return withoutDecision(failed(request, options.failurePolicy ?? "Fail", `internal error: ${message}`));
}

/** A response that no policy decided: there is nothing to count. */
export function withoutDecision(response: AdmissionResponse): ReviewResponse {
  return { response, afterwards: () => {} };
}

/** The response of a failurePolicy when the policies cannot be evaluated. */
export function failed(
  request: { uid: string },
  failurePolicy: FailurePolicy,
  message: string,
): AdmissionResponse {
  const { uid } = request;
  if (failurePolicy === "Ignore") {
    return { uid, allowed: true, warnings: [`policies were not evaluated: ${message}`] };
  }
  return { uid, allowed: false, status: { status: "Failure", message, code: 500 } };
}

interface LoggedDecision {
  readonly request: PolicyRequest;
  readonly decision: Decision;
  readonly phase: Phase;
  /** The time of the start, on the clock of `performance.now()`. */
  readonly started: number;
}

function logDecision(log: Log, { request, decision, phase, started }: LoggedDecision): void {
  const { allowed } = decision;
  const failing = failingRules(decision);
  const level = allowed && failing.length === 0 ? "debug" : "info";
  if (log.writes?.(level) === false) return;
  log.write(level, allowed ? "admitted" : "denied", {
    uid: request.uid,
    phase,
    operation: request.operation,
    kind: request.kind,
    namespace: request.namespace,
    name: request.name,
    dryRun: request.dryRun,
    milliseconds: Math.round((performance.now() - started) * 1000) / 1000,
    ...(failing.length > 0 && { failing }),
  });
}

function failingRules({ results }: Decision): string[] {
  const failing: string[] = [];
  for (const { policy, rules } of results) {
    for (const each of rules) {
      if (isFailOrError(each)) failing.push(`${policy.key}/${each.rule}`);
    }
  }
  return failing;
}
