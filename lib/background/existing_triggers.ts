import type { PolicyRequest } from "../engine/mod.ts";
import { dig, type Fault, isFault, type JsonObject } from "../json/mod.ts";
import { uidOf } from "../kube/mod.ts";
import { pause } from "../pause.ts";
import type { Cluster, Log } from "../ports.ts";
import { ownerOf } from "../rules/mod.ts";
import { existingRequest } from "./existing_request.ts";
import { type MissedChange, missedChanges } from "./missed_changes.ts";
import { type ListFault, listObjects } from "./list_objects.ts";
import { type RuleInForce, writtenRule } from "./rules_in_force.ts";
import { triggerKinds } from "./trigger_kinds.ts";
import type { UnseenTime } from "./unseen_times.ts";

/** A rule to evaluate for an object that exists. */
export interface ExistingTrigger {
  readonly request: PolicyRequest;
  readonly only: { readonly policy: string; readonly rule: string };
  /** The change whose effects may be missing; absent where all objects are evaluated. */
  readonly missed?: MissedChange;
}

/** The ports of {@link existingTriggers}, and the age of the objects that it looks for. */
export interface ExistingOptions {
  readonly cluster: Cluster;
  readonly log: Log;
  readonly signal: AbortSignal;
  /**
   * Only objects that were created or updated at this time and were not evaluated for it, and whose requests the rule
   * does not pass over; all objects when absent.
   */
  readonly unseen?: UnseenTime;
  /** Waits for some milliseconds, or until the signal aborts; tests replace it. */
  readonly wait?: typeof pause;
}

/**
 * Returns whether a rule leaves an object alone for which it generated nothing: its user decides, whom a stored object
 * does not name, or Postern generated the object and the rule passes over Postern's requests. The policy's text is read
 * once for all objects. Pinned by "a comparison generates nothing for a trigger whose user decides, as it does not know
 * the user" and "a comparison generates nothing for a generated object, unless the rule looks at Postern's requests".
 */
export function passingOver(
  { policy, rule: { rule } }: Pick<RuleInForce, "policy" | "rule">,
): (trigger: JsonObject) => boolean {
  const isByUser = choosesByUser(policy.document, rule.name);
  return (trigger) => isByUser || rule.skipBackgroundRequests && ownerOf(trigger) !== undefined;
}

/** Whether the fields that select a rule's objects read the user of the request. */
function choosesByUser(document: JsonObject, name: string): boolean {
  const { generate: _generate, mutate: _mutate, ...choosing } = writtenRule(document, name);
  const conditions = dig(document, "spec", "webhookConfiguration", "matchConditions") ?? null;
  return /"(?:subjects|roles|clusterRoles)":|userInfo|serviceAccountN/.test(
    JSON.stringify([choosing, conditions]),
  );
}

/**
 * Finds the changes of an object, made in a time whose effects may be missing, for which a rule must be evaluated. A
 * rule that reads the old object is not evaluated for updates, because the old object is gone.
 */
function changesFor(
  { policy, rule }: Pick<RuleInForce, "policy" | "rule">,
  unseen: UnseenTime,
): (object: JsonObject) => readonly MissedChange[] {
  const isPassedOver = passingOver({ policy, rule });
  const readsOld = /oldObject/.test(JSON.stringify(writtenRule(policy.document, rule.rule.name)));
  const passesOverPostern = rule.rule.skipBackgroundRequests;
  return (object) => {
    const found = missedChanges(object, unseen, { passesOverPostern });
    if (found.length === 0 || isPassedOver(object)) return [];
    return readsOld ? found.filter(({ operation }) => operation === "CREATE") : found;
  };
}

/** Milliseconds before a kind is listed again: at first, and at most. The lists of a minute may fail. */
const firstDelay = 500, longestDelay = 32_000;

/**
 * Lists the existing objects of a rule's kinds, page by page, each object once. Evaluation then decides whether the
 * rule selects them. A list that fails begins again, after pauses that double; a fault says that it failed for a
 * minute, or that the signal aborted. It logs kinds that it leaves out: those with wildcards, custom kinds without
 * group and version, and those whose list the API server forbids.
 */
export async function* existingTriggers(
  { policy, rule }: Pick<RuleInForce, "policy" | "rule">,
  options: ExistingOptions,
): AsyncGenerator<ExistingTrigger | Fault> {
  const { cluster, log, signal, unseen, wait = pause } = options;
  const only = { policy: policy.key, rule: rule.rule.name };
  const { kinds, vague } = triggerKinds(rule);
  const changes = unseen && changesFor({ policy, rule }, unseen);
  if (vague.length > 0) {
    log.write("warn", "existing objects of some kinds are not listed", { ...only, kinds: vague });
  }
  for (const type of kinds) {
    const listed = new Set<string>();
    for (let delay = firstDelay;; delay *= 2) {
      let fault: ListFault | undefined;
      for await (
        const object of listObjects({ ...type, namespace: policy.namespace ?? "" }, { cluster, signal })
      ) {
        if (isFault(object)) fault = object;
        else if (!listed.has(uidOf(object))) {
          listed.add(uidOf(object));
          if (changes === undefined) yield { request: existingRequest(object), only };
          for (const missed of changes?.(object) ?? []) {
            yield { request: existingRequest(object, missed.operation), only, missed };
          }
        }
      }
      if (fault === undefined) break;
      log.write("warn", "existing objects cannot be listed", { kind: type.kind, cause: fault.message });
      if (fault.isFinal) break;
      if (delay > longestDelay || !await wait(delay, signal)) {
        yield fault;
        break;
      }
    }
  }
}
