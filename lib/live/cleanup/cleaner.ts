import { existingRequest, listResource } from "../../background/mod.ts";
import { type CompileOptions, evaluate } from "../../engine/mod.ts";
import { dig, isFault, type JsonObject } from "../../json/mod.ts";
import { nameOf, namespaceOf, objectPath } from "../../kube/mod.ts";
import type { Discovery, Log, Ports, ServedResource } from "../../ports.ts";
import { hasRight } from "../access.ts";
import { type PolicyEvent, referenceTo } from "../events/event.ts";
import type { PolicyObject } from "../policy_objects.ts";
import { resourcesOf } from "../reports/scan_targets.ts";
import type { StatusWriter } from "../status.ts";
import { type CleanupPolicy, cleanupPolicy } from "./cleanup_policy.ts";
import { compileSchedule } from "./schedule.ts";

/** The ports and options of a {@link Cleaner}. */
export interface CleanerOptions {
  readonly ports: Ports;
  readonly discovery: Discovery;
  readonly log: Log;
  readonly compiling: CompileOptions;
  /** The user name whose rights decide which objects may be deleted. */
  readonly account: string;
  readonly statuses: StatusWriter;
  readonly events: (events: readonly PolicyEvent[]) => void;
  readonly leads: () => boolean;
}

/** The longest wait of a timer, in milliseconds: schedules may be years apart. */
const longestWait = 3_600_000;

interface Scheduled {
  readonly object: PolicyObject;
  readonly policy: CleanupPolicy;
  readonly version: string;
  timer: ReturnType<typeof setTimeout> | undefined;
}

/**
 * Runs cleanup policies and deleting policies when their schedules are due: lists the objects that they match, and
 * deletes those that they select.
 */
export class Cleaner {
  readonly #options: CleanerOptions;
  readonly #scheduled = new Map<string, Scheduled>();

  constructor(options: CleanerOptions) {
    this.#options = options;
  }

  /** Takes the current policies. A policy that did not change keeps its next run. */
  policies(objects: readonly PolicyObject[]): void {
    const present = new Set<string>();
    for (const object of objects) {
      const key = JSON.stringify([object.kind.kind, namespaceOf(object.object), nameOf(object.object)]);
      present.add(key);
      const version = JSON.stringify(object.object["spec"] ?? null);
      const former = this.#scheduled.get(key);
      if (former?.version === version) {
        this.#scheduled.set(key, Object.assign(former, { object }));
        continue;
      }
      clearTimeout(former?.timer);
      const policy = cleanupPolicy(object.object, this.#options.compiling);
      const scheduled: Scheduled = { object, policy, version, timer: undefined };
      this.#scheduled.set(key, scheduled);
      this.#wait(scheduled);
    }
    for (const [key, { timer }] of this.#scheduled) {
      if (present.has(key)) continue;
      clearTimeout(timer);
      this.#scheduled.delete(key);
    }
  }

  /** Stops all schedules. */
  close(): void {
    for (const { timer } of this.#scheduled.values()) clearTimeout(timer);
    this.#scheduled.clear();
  }

  #wait(scheduled: Scheduled): void {
    const { ports: { clock }, log } = this.#options;
    const schedule = compileSchedule(scheduled.policy.schedule);
    if (schedule instanceof Error) {
      log.write("warn", "cleanup policy without a schedule", {
        name: nameOf(scheduled.object.object),
        reason: schedule.message,
      });
      return;
    }
    const now = clock.now();
    const due = schedule(now);
    if (due === undefined) return;
    const isFar = due - now > longestWait;
    scheduled.timer = setTimeout(() => {
      if (isFar) return this.#wait(scheduled);
      void this.#run(scheduled).catch((cause) =>
        log.write("error", "cleanup failed", { cause: String(cause) })
      )
        .finally(() => this.#isPresent(scheduled) && this.#wait(scheduled));
    }, Math.min(longestWait, due - now));
  }

  #isPresent(scheduled: Scheduled): boolean {
    return [...this.#scheduled.values()].includes(scheduled);
  }

  async #run(scheduled: Scheduled): Promise<void> {
    const { discovery, leads, statuses, ports } = this.#options;
    if (!leads()) return;
    const discovered = await discovery.resources();
    if (!discovered.ok) return;
    const { policy, object } = scheduled;
    for (const resource of resourcesOf(policy.snapshot, discovered.resources)) {
      await this.#runOn(resource, scheduled);
    }
    const time = new Date(ports.clock.now()).toISOString().replace(/\.\d+Z$/, "Z");
    await statuses.write(object.kind, object.object, { lastExecutionTime: time });
  }

  async #runOn(resource: ServedResource, scheduled: Scheduled): Promise<void> {
    const { ports: { cluster }, account, log } = this.#options;
    const { namespace } = scheduled.policy;
    const { group, plural } = resource;
    for (const verb of ["list", "delete"]) {
      const right = { verb, group, resource: plural, ...(namespace !== undefined && { namespace }) };
      if (await hasRight(cluster, account, right) === false) {
        log.write("warn", "a right for the cleanup is missing", { account, verb, resource: plural });
        return;
      }
    }
    for await (const target of listResource(resource, { cluster, namespace })) {
      if (isFault(target)) {
        log.write("warn", "cleanup could not list all objects", { resource: plural, reason: target.message });
      } else {
        const path = objectPath(resource, { namespace: namespaceOf(target), name: nameOf(target) });
        await this.#consider(target, path, scheduled);
      }
    }
  }

  async #consider(target: JsonObject, path: string, { policy, object }: Scheduled): Promise<void> {
    const { ports, log, events } = this.#options;
    if (dig(target, "metadata", "deletionTimestamp") !== undefined) return;
    const decision = await evaluate(policy.snapshot, existingRequest(target), {
      phase: "validate",
      rules: "all",
      ports,
      deadline: () => AbortSignal.timeout(10_000),
    });
    const isSelected = decision.results.some(({ rules }) =>
      rules.some(({ result }) => result === policy.deletes)
    );
    if (!isSelected) return;
    const answer = await ports.cluster.call({
      method: "DELETE",
      path,
      ...(policy.propagation !== undefined && {
        body: { apiVersion: "v1", kind: "DeleteOptions", propagationPolicy: policy.propagation },
      }),
    });
    const text = [target["kind"], namespaceOf(target), nameOf(target)].filter((part) => part !== "").join(
      "/",
    );
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
        ? `successfully cleaned up the target resource ${text}`
        : `failed to clean up the target resource ${text}: ${answer.message}`,
      component: "kyverno-cleanup",
    }]);
  }
}
