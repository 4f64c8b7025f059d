import type { Decision, Effect, PolicyRequest } from "../engine/mod.ts";
import { asList, dig, equal, field, isObject, type Json } from "../json/mod.ts";
import { fieldWrites, posternManager } from "../kube/mod.ts";
import { elapsedOn, type Log, type Ports } from "../ports.ts";
import { ChangedCluster } from "./changed_cluster.ts";
import { effectKey } from "./effect_writer.ts";
import { LeftOutEffects } from "./left_out_effects.ts";

/** How effects were planned that may have been carried out before. */
export interface RepeatedPlan {
  readonly request: PolicyRequest;
  readonly ports: Ports;
  readonly log: Log;
  /** Gets the effects that are left out; without it the log gets a line for each. */
  readonly leftOut?: Pick<LeftOutEffects, "add">;
  /** Evaluates the same rules with another request and other ports. */
  decideWith(changed: Pick<RepeatedPlan, "request" | "ports">): Decision | Promise<Decision>;
}

/** Returns those of the planned updates that are to be carried out although they may have been before. */
export type ChooseRepeated = (planned: readonly Effect[], plan: RepeatedPlan) => Promise<readonly Effect[]>;

/**
 * Returns the planned updates of targets that change nothing twice, although they may have been carried out before.
 * The rules are evaluated again, a minute later, for a cluster in which the updates were made:
 *
 * - an update that changes the target no further can be repeated;
 * - one that adds to its own result is carried out if Postern has written the target at no time since the request.
 *   Otherwise it may have been this rule for this request, and the update is left out, with a line in the
 *   log. So is one that only removes fields, because the API server does not note who removed them.
 *
 * @param since When the request was made, in milliseconds since 1970 by the API server's clock.
 */
export function onceOnly(
  planned: readonly Effect[],
  plan: RepeatedPlan,
  since: number,
): Promise<readonly Effect[]> {
  return withoutDone(
    planned,
    plan,
    ({ object }) =>
      fieldWrites(object).some(({ manager, at }) => manager === posternManager && !(at < since)),
  );
}

/**
 * Returns the planned updates of targets without those that a former try may have carried out without an answer, as
 * {@link onceOnly} does. The stored version shows most: each update replaces exactly the version that was read, so the
 * former one was not carried out, and will not be beside this one, when that version is still stored.
 *
 * @param doubtful The updates without an answer, by `effectKey`.
 */
export async function onceOnlyInDoubt(
  planned: readonly Effect[],
  plan: RepeatedPlan,
  doubtful: ReadonlyMap<string, Effect>,
): Promise<readonly Effect[]> {
  const formerOf = (effect: Effect): Effect | undefined => doubtful.get(effectKey(effect));
  const inDoubt = planned.filter((effect) => {
    const former = formerOf(effect);
    return former !== undefined && versionOf(former) !== versionOf(effect);
  });
  const chosen = await withoutDone(
    inDoubt,
    plan,
    (effect) => !equal(posternEntries(effect), posternEntries(formerOf(effect)!)),
  );
  return planned.filter((effect) => !inDoubt.includes(effect) || chosen.includes(effect));
}

/**
 * @param isWritten Whether Postern has written the target of an update since the update may have been carried out.
 */
async function withoutDone(
  planned: readonly Effect[],
  plan: RepeatedPlan,
  isWritten: (effect: Effect) => boolean,
): Promise<readonly Effect[]> {
  if (planned.length === 0) return planned;
  const again = await repeated(planned, plan);
  const leftOut = new LeftOutEffects(plan.log);
  const second = new Map(again.effects.map((effect) => [effectKey(effect), effect.object]));
  const chosen = planned.filter((effect) => {
    const { object } = effect;
    const further = second.get(effectKey(effect));
    const changesNoMore = further === undefined ? !hasErred(again, effect) : equal(further, object);
    if (changesNoMore) return true;
    const isTraceable = further !== undefined && !isPartOf(further, object);
    if (isTraceable && !isWritten(effect)) return true;
    (plan.leftOut ?? leftOut).add(effect);
    return false;
  });
  leftOut.write();
  return chosen;
}

/** Evaluates the rules again where the planned updates were made. The trigger may be a target. */
async function repeated(
  planned: readonly Effect[],
  { request, ports, decideWith }: RepeatedPlan,
): Promise<Decision> {
  const cluster = new ChangedCluster(ports.cluster, planned.map(({ object }) => object));
  const object = request.object && cluster.changed(request.object);
  return await decideWith({
    request: object === request.object
      ? request
      : { ...request, object, variable: { ...request.variable, ...(object && { object }) } },
    ports: {
      ...ports,
      cluster,
      clock: { now: () => ports.clock.now() + secondEvaluationMs, elapsed: () => elapsedOn(ports.clock) },
    },
  });
}

/** Milliseconds by which the second evaluation is later: a patch with the time adds to its own result. */
const secondEvaluationMs = 61_000;

function hasErred({ results }: Decision, { policy, rule }: Effect): boolean {
  return results.some((each) =>
    each.policy.key === policy &&
    each.rules.some((result) => result.rule === rule && result.result === "error")
  );
}

function versionOf({ object }: Effect): Json | undefined {
  return dig(object, "metadata", "resourceVersion");
}

/** The notes of the API server about Postern's writes of the version that an update replaces. */
function posternEntries({ object }: Effect): Json[] {
  return asList(dig(object, "metadata", "managedFields"))
    .filter((entry) => field(entry, "manager") === posternManager);
}

/** Whether a value has nothing that another one does not have in the same order. */
function isPartOf(part: Json, whole: Json): boolean {
  if (isObject(part) && isObject(whole)) {
    return Object.entries(part).every(([name, value]) =>
      Object.hasOwn(whole, name) && isPartOf(value, whole[name]!)
    );
  }
  if (!Array.isArray(part) || !Array.isArray(whole)) return equal(part, whole);
  let next = 0;
  return part.every((item) => {
    while (next < whole.length && !isPartOf(item, whole[next]!)) next++;
    return next++ < whole.length;
  });
}
