import { type Decision, type Effect, evaluate, type PolicyRequest, type Snapshot } from "../engine/mod.ts";
import { asObject, dig, isFault, type JsonObject } from "../json/mod.ts";
import type { Ports } from "../ports.ts";
import { readAgain } from "./carry_out.ts";
import { changeOf } from "./followed_request.ts";
import { type Change, followChange } from "./synchronize.ts";

/** The one rule that is to be asked, as for objects that were there before it. */
export interface OnlyRule {
  readonly policy: string;
  readonly rule: string;
}

/** Why something could not be done. */
export interface Failure {
  readonly message: string;
  /** Whether another try may do it. */
  readonly passing: boolean;
  /** Set when the request itself was not carried out, as far as can be seen: then there is nothing to do for it. */
  readonly unfounded?: true;
}

/** What one try needs. */
export interface TryOptions {
  readonly snapshot: Snapshot;
  readonly ports: Ports;
  readonly self: string | undefined;
  readonly triggers: "as-admitted" | "as-stored";
  readonly only: OnlyRule | undefined;
  /** Milliseconds that each step may take. */
  readonly patience: number;
  carryOut(effect: Effect): Promise<readonly Failure[]>;
}

/** Plans and carries out everything for a request, as the cluster then is; answers with what could not be done. */
export async function tryRequest(admitted: PolicyRequest, options: TryOptions): Promise<readonly Failure[]> {
  const { ports, snapshot, self, only, triggers, patience } = options;
  const change = isOwn(admitted, options) ? undefined : changeOf(admitted);
  try {
    const request = triggers === "as-stored" ? await stored(admitted, change, options) : admitted;
    if ("message" in request) return [request];
    const failures: Failure[] = [];
    for (const phase of phases) {
      const decision = await evaluate(snapshot, request, {
        phase,
        ports,
        rules: "admission",
        background: self === undefined ? {} : { self },
        ...(only !== undefined && { policy: only.policy }),
        deadline: () => AbortSignal.timeout(patience),
      });
      const isMeant = ({ rule }: { readonly rule: string }): boolean =>
        only === undefined || rule === only.rule;
      failures.push(...planFailures(decision, isMeant));
      for (const effect of decision.effects.filter(isMeant)) failures.push(...await options.carryOut(effect));
    }
    if (change !== undefined) failures.push(...await follow(change, options));
    return failures;
  } catch (cause) {
    return [{ message: cause instanceof Error ? cause.message : String(cause), passing: true }];
  }
}

/** Phases whose effects are carried out. */
export const phases = ["generate", "mutateExisting"] as const;

function isOwn({ requester }: PolicyRequest, { self }: TryOptions): boolean {
  return self !== undefined && requester?.username === self;
}

async function follow(change: Change, options: TryOptions): Promise<readonly Failure[]> {
  const effects = await followChange(change, options);
  if (isFault(effects)) return [{ message: effects.message, passing: true }];
  const failures: Failure[] = [];
  for (const effect of effects) failures.push(...await options.carryOut(effect));
  return failures;
}

/**
 * The request with its trigger as it was stored. What cannot be seen in the cluster was refused by somebody else, or is
 * still being stored.
 */
async function stored(
  request: PolicyRequest,
  change: Change | undefined,
  { ports, patience }: TryOptions,
): Promise<PolicyRequest | Failure> {
  const { object, oldObject, operation, name, subresource } = request;
  const subject = object ?? oldObject;
  if (subject === undefined || name === "" || subresource !== "" || operation === "CONNECT") return request;
  const answer = await readAgain(subject, ports.cluster, AbortSignal.timeout(patience));
  // Who may not look must trust the request.
  if (!answer.ok && answer.status === 403) return request;
  if (!answer.ok && answer.status !== 404) return { message: answer.message, passing: true };
  const found = answer.ok ? asObject(answer.body) : undefined;
  if (!isVisible(request, change, found)) {
    return { message: `the ${operation} cannot be seen in the cluster`, passing: true, unfounded: true };
  }
  if (operation !== "CREATE" || found === undefined) return request;
  return { ...request, object: found, variable: { ...request.variable, object: found } };
}

/** Whether the cluster shows what the request did. */
function isVisible(
  { operation, oldObject }: PolicyRequest,
  change: Change | undefined,
  found: JsonObject | undefined,
): boolean {
  const isAnother = (field: string): boolean =>
    dig(found, "metadata", field) !== dig(oldObject, "metadata", field);
  if (operation === "DELETE") {
    return found === undefined || isAnother("uid") ||
      dig(found, "metadata", "deletionTimestamp") !== undefined;
  }
  // Who follows an update must see what it did; for others it is enough that the object is there.
  return found !== undefined &&
    (operation === "CREATE" || change === undefined || isAnother("resourceVersion"));
}

/** Rules that erred, and effects that could not be planned: a source or a target may come yet. */
function planFailures(
  { results }: Decision,
  isMeant: (result: { readonly rule: string }) => boolean,
): Failure[] {
  return results.flatMap(({ policy, rules }) =>
    rules.filter(isMeant).flatMap(({ rule, result, message, unplanned = [] }) => {
      const causes = result === "error" ? [message, ...unplanned] : unplanned;
      return causes.map((cause) => ({ message: `${policy.key}/${rule}: ${cause}`, passing: true }));
    })
  );
}
