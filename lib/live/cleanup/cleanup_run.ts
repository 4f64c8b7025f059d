import { listResource } from "../../background/mod.ts";
import { evaluate } from "../../engine/mod.ts";
import { isFault, type JsonObject } from "../../json/mod.ts";
import {
  compileResourceFilters,
  defaultResourceFilters,
  deleteOptions,
  type FilteredResource,
  isBeingDeleted,
  nameOf,
  namespaceOf,
  objectPath,
  objectText,
  typeOf,
} from "../../kube/mod.ts";
import { Slices } from "../../slices.ts";
import type { Discovery, Log, Ports, ServedResource } from "../../ports.ts";
import { exceptionsOf } from "../../rules/mod.ts";
import { hasRight } from "../access_review.ts";
import { type PolicyEvent, referenceTo } from "../events/event.ts";
import type { PolicyObject } from "../policy_objects.ts";
import { deletedResources } from "../reports/scan_targets.ts";
import { type CleanupPolicy, cleanupRequest, grantCleanupRights } from "./cleanup_policy.ts";

/** The ports and options of a {@link CleanupRun}. */
export interface CleanupRunOptions {
  readonly ports: Ports;
  readonly discovery: Discovery;
  readonly log: Log;
  /** The user name whose rights decide which objects may be deleted. */
  readonly account: string;
  readonly events: (events: readonly PolicyEvent[]) => void;
  /** `[Kind,namespace,name]` items of objects that no cleanup deletes; the defaults when absent. */
  readonly resourceFilters: () => string | undefined;
  /** Whether the run may delete further objects. */
  readonly goesOn: () => boolean;
}

/** A policy that runs, and its object, of which a newer version may arrive meanwhile. */
export interface RunningPolicy {
  readonly policy: CleanupPolicy;
  readonly object: PolicyObject;
}

/**
 * One run of a cleanup policy or a deleting policy: lists the objects that it matches, and deletes those that it
 * selects.
 */
export class CleanupRun {
  readonly #options: CleanupRunOptions;
  readonly #running: RunningPolicy;
  /** The rights that it lacked: `delete secrets`. */
  readonly #lacking: string[] = [];

  constructor(options: CleanupRunOptions, running: RunningPolicy) {
    this.#options = options;
    this.#running = running;
  }

  /** Runs the policy once; `postponed` when the API server did not list its resources: nothing was deleted then. */
  async run(): Promise<"done" | "postponed"> {
    const { discovery, log, resourceFilters } = this.#options, { policy, object } = this.#running;
    const discovered = await discovery.resources();
    if (!discovered.ok) {
      log.write("warn", "a cleanup was put off: the cluster's resources were not read", {
        policy: nameOf(object.object),
        reason: discovered.message,
      });
      return "postponed";
    }
    const isFiltered = compileResourceFilters(resourceFilters() ?? defaultResourceFilters);
    for (const resource of deletedResources(policy.snapshot, discovered.resources)) {
      await this.#runOn(resource, isFiltered);
    }
    this.#reportLacking();
    return "done";
  }

  /** Deletes the selected objects of one kind, if the account has the rights, and leaves filtered ones alone. */
  async #runOn(resource: ServedResource, isFiltered: (resource: FilteredResource) => boolean): Promise<void> {
    const { ports: { cluster, scheduler }, account, log, goesOn } = this.#options;
    const { namespace } = this.#running.policy;
    const { group, plural } = resource;
    for (const verb of ["list", "delete"]) {
      if (!goesOn()) return;
      const right = { verb, group, resource: plural, ...(namespace !== undefined && { namespace }) };
      if (await hasRight(cluster, account, right) === false) {
        log.write("warn", "a right for the cleanup is missing", { account, verb, resource: plural });
        this.#lacking.push(`${verb} ${group === "" ? plural : `${plural}.${group}`}`);
        return;
      }
    }
    const slices = new Slices(scheduler);
    for await (const target of listResource(resource, { cluster, namespace })) {
      if (slices.isUsedUp) await slices.next();
      if (!goesOn()) return;
      if (isFault(target)) {
        log.write("warn", "cleanup could not list all objects", { resource: plural, reason: target.message });
      } else if (!isBeingDeleted(target) && !isFiltered(filteredResource(target))) {
        const path = objectPath(resource, { namespace: namespaceOf(target), name: nameOf(target) });
        await this.#deleteIfSelected(target, path);
      }
    }
  }

  /** Writes one event about a policy whose run lacked rights. */
  #reportLacking(): void {
    const { policy, object: { object } } = this.#running, lacking = this.#lacking;
    if (lacking.length === 0) return;
    const { account, events } = this.#options;
    events([{
      regarding: referenceTo(object),
      reason: "PolicyError",
      action: "None",
      message: `failed to ${policy.words.attempt} resources: ${account} has no permission to ` +
        `${lacking.join(", ")}; ${grantCleanupRights}`,
      component: "kyverno-cleanup",
    }]);
  }

  /** Deletes an object if the policy selects it. */
  async #deleteIfSelected(target: JsonObject, path: string): Promise<void> {
    const { ports, log, events, goesOn } = this.#options, { policy, object } = this.#running;
    const decision = await evaluate(policy.snapshot, cleanupRequest(target), {
      phase: "validate",
      rules: "all",
      ports,
      deadline: () => AbortSignal.timeout(10_000),
    });
    const isSelected = decision.results.some(({ rules }) =>
      rules.some((rule) => rule.result === policy.deletes && exceptionsOf(rule) === undefined)
    );
    if (!isSelected || !goesOn()) return;
    const body = deleteOptions(target, policy.propagation);
    const answer = await ports.cluster.call({ method: "DELETE", path, body });
    // Somebody else deleted it.
    if (answer.status === 404 || answer.status === 409) return;
    const text = objectText(target);
    log.write(answer.ok ? "info" : "warn", answer.ok ? "cleaned up" : "not cleaned up", {
      policy: nameOf(object.object),
      target: text,
    });
    events([{
      regarding: referenceTo(object.object),
      related: referenceTo(target),
      reason: answer.ok ? "PolicyApplied" : "PolicyError",
      action: answer.ok ? "Resource Cleaned Up" : "None",
      message: answer.ok
        ? `successfully ${policy.words.done} the target resource ${text}`
        : `failed to ${policy.words.attempt} the target resource ${text}: ${answer.message}`,
      component: "kyverno-cleanup",
    }]);
  }
}

function filteredResource(object: JsonObject): FilteredResource {
  return { ...typeOf(object), subresource: "", namespace: namespaceOf(object), name: nameOf(object) };
}
