import { planErrorsOf } from "../rules/mod.ts";
import {
  type Decision,
  type Effect,
  evaluate,
  type PolicyQuery,
  type PolicyRequest,
  type PolicyResult,
  type Snapshot,
} from "../engine/mod.ts";
import { clipped, detached, isFault, textField } from "../json/mod.ts";
import { isBeingDeleted, nameOf, uidOf } from "../kube/mod.ts";
import type { Log, Ports } from "../ports.ts";
import type { Failure } from "./failure.ts";
import { findByUid } from "./find_by_uid.ts";
import { changeOf } from "./followed_request.ts";
import type { ChooseRepeated, RepeatedPlan } from "./once_only.ts";
import { storedRequest } from "./stored_request.ts";
import { type Change, followChange } from "./synchronize.ts";

/** The one rule to evaluate, for objects that existed before it. */
export interface OnlyRule {
  readonly policy: string;
  readonly rule: string;
}

/** The policies, ports and limits of one try. */
export interface TryOptions {
  readonly snapshot: Snapshot;
  readonly ports: Ports;
  readonly log: Log;
  readonly actors: ReadonlySet<string>;
  readonly triggers: "as-admitted" | "as-stored";
  readonly only: OnlyRule | undefined;
  /**
   * Set when the effects may have been carried out before: by another replica, see `JobScope`, or by a try without an
   * answer. No look at the cluster for the change of the request is needed then: a list or that try has seen it.
   */
  readonly onceOnly: ChooseRepeated | undefined;
  /** The policies of the webhook's URL. */
  readonly route: Pick<PolicyQuery, "failurePolicy" | "policy">;
  /** Whether a former try saw the change in the cluster: only its corrections are left. */
  readonly isSeen: boolean;
  /** Milliseconds that each step may take. */
  readonly attemptTimeoutMs: number;
  carryOut(effect: Effect): Promise<readonly Failure[]>;
  /** Carries out an effect that corrects an object which somebody else changed. */
  correct(effect: Effect): Promise<readonly Failure[]>;
}

/** The result of one try. */
export interface Tried {
  /** The request, with the stored object in place of the reviewed one where it could be read. */
  readonly request: PolicyRequest;
  readonly results: readonly PolicyResult[];
  /** The effects that could not be carried out, with reasons. */
  readonly failures: readonly Failure[];
}

/** Plans and carries out the effects of a request against the cluster's current state. */
export async function tryRequest(admitted: PolicyRequest, options: TryOptions): Promise<Tried> {
  const tried: RunningTry = { request: admitted, results: [], failures: [] };
  try {
    await carryOutAll(tried, options);
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    tried.failures = [{ message, retryable: true }];
  }
  return tried;
}

/** The result of a try that has not ended. */
interface RunningTry extends Tried {
  request: PolicyRequest;
  readonly results: PolicyResult[];
  failures: Failure[];
}

/** Phases whose effects are carried out. */
export const phases = ["generate", "mutateExisting"] as const;

async function carryOutAll(tried: RunningTry, options: TryOptions): Promise<void> {
  const admitted = tried.request;
  const change = isByPostern(admitted, options) ? undefined : changeOf(admitted);
  if (!options.isSeen) {
    const { ports: { cluster }, onceOnly, triggers, attemptTimeoutMs } = options;
    const signal = AbortSignal.timeout(attemptTimeoutMs), isListed = onceOnly !== undefined;
    const request = triggers === "as-stored"
      ? await storedRequest(admitted, { cluster, signal, isListed })
      : admitted;
    if ("message" in request) return void tried.failures.push(request);
    for (const phase of phases) if (!await carryOutPhase(phase, request, { tried, options })) return;
  }
  if (change !== undefined) tried.failures.push(...await follow(change, options));
}

/** Plans and carries out the effects of a phase; false when a deletion cannot be confirmed, which ends the try. */
async function carryOutPhase(
  phase: typeof phases[number],
  request: PolicyRequest,
  { tried, options }: { readonly tried: RunningTry; readonly options: TryOptions },
): Promise<boolean> {
  const { ports, log, only, onceOnly, triggers } = options;
  const decideWith = decisionsOf(phase, options);
  const decision = await decideWith({ request, ports });
  const isMeant = ({ rule }: { readonly rule: string }): boolean => only === undefined || rule === only.rule;
  tried.request = request;
  tried.results.push(
    ...decision.results.map(({ policy, rules }) => ({ policy, rules: rules.filter(isMeant) })),
  );
  tried.failures.push(...planFailures(decision, isMeant));
  const planned = decision.effects.filter(isMeant);
  const effects = onceOnly === undefined || phase === "generate"
    ? planned
    : await onceOnly(planned, { request, ports, log, decideWith });
  const isDeletion = triggers === "as-stored" && request.operation === "DELETE";
  if (isDeletion && effects.some(({ verb }) => verb === "delete")) {
    const doubt = await confirmGone(request, options);
    if (doubt !== undefined) {
      tried.failures.push(doubt);
      return false;
    }
  }
  for (const effect of effects) tried.failures.push(...await options.carryOut(effect));
  return true;
}

/** Returns the function that evaluates the rules of a phase. */
function decisionsOf(
  phase: typeof phases[number],
  { snapshot, actors, only, route, attemptTimeoutMs }: TryOptions,
): RepeatedPlan["decideWith"] {
  const policy = only?.policy ?? route.policy;
  return ({ request, ports }) =>
    evaluate(snapshot, request, {
      phase,
      ports,
      // Existing objects are evaluated also for policies that are not for admission.
      rules: only === undefined ? "admission" : "all",
      background: { actors },
      ...(route.failurePolicy !== undefined && { failurePolicy: route.failurePolicy }),
      ...(policy !== undefined && { policy }),
      deadline: () => AbortSignal.timeout(attemptTimeoutMs),
    });
}

function isByPostern({ requester }: PolicyRequest, { actors }: TryOptions): boolean {
  return requester !== undefined && actors.has(requester.username);
}

async function follow(change: Change, options: TryOptions): Promise<readonly Failure[]> {
  const effects = await followChange(change, options);
  if (isFault(effects)) return [{ message: effects.message, retryable: true }];
  const failures: Failure[] = [];
  for (const effect of effects) failures.push(...await options.correct(effect));
  return failures;
}

/**
 * Whether the objects generated for a deleted trigger may be deleted too. The request must name the trigger's object:
 * a request with another object's uid must not delete that object's downstream.
 */
async function confirmGone(
  { oldObject, kind, namespace }: PolicyRequest,
  { ports, attemptTimeoutMs }: TryOptions,
): Promise<Failure | undefined> {
  const uid = uidOf(oldObject);
  const apiVersion = textField(oldObject, "apiVersion");
  const signal = AbortSignal.timeout(attemptTimeoutMs);
  const found = await findByUid({ apiVersion, kind, namespace, uid }, { cluster: ports.cluster, signal });
  if (isFault(found)) return { message: found.message, retryable: true };
  const isThere = found !== undefined && !isBeingDeleted(found);
  return isThere ? { message: `${kind} ${nameOf(found)} is still there`, retryable: false } : undefined;
}

/**
 * The most failures of a rule that are kept, and the most characters of one: a rule fails for each element of an
 * object's list, and its messages may quote the object. They wait with the request for its next try, and are written to
 * its UpdateRequest.
 */
const mostCauses = 100, longestCause = 2_000;

/** The failures of planning: rules that erred, and effects whose source or target may come later. */
function planFailures(
  { results }: Decision,
  isMeant: (result: { readonly rule: string }) => boolean,
): Failure[] {
  return results.flatMap(({ policy, rules }) =>
    rules.filter(isMeant).flatMap((result) => {
      const causes = result.result === "error" ? [result.message] : planErrorsOf(result);
      const by = { policy: policy.key, rule: result.rule };
      const isWithoutTarget = result.result === "error" && result.meaning === "targetMissing";
      return causes.slice(0, mostCauses).map((cause) => ({
        message: detached(`${policy.key}/${by.rule}: ${clipped(cause, longestCause)}`),
        retryable: true,
        ...(isWithoutTarget && { nothingToDo: "targetMissing" as const }),
        by,
      }));
    })
  );
}
