import { existingRequest, listResource } from "../../background/mod.ts";
import { type CompileOptions, evaluate } from "../../engine/mod.ts";
import { asString, dig, isFault, type JsonObject } from "../../json/mod.ts";
import {
  compileResourceFilters,
  createdAt,
  defaultResourceFilters,
  deleteOptions,
  type FilteredResource,
  formatTimestamp,
  isBeingDeleted,
  nameOf,
  namespaceOf,
  objectPath,
  objectText,
  typeOf,
} from "../../kube/mod.ts";
import type { LocatedDocument } from "../../policy/mod.ts";
import { exceptionsOf } from "../../rules/mod.ts";
import type { Discovery, Log, Ports, ServedResource } from "../../ports.ts";
import { hasRight } from "../access.ts";
import { type PolicyEvent, referenceTo } from "../events/event.ts";
import type { PolicyObject } from "../policy_objects.ts";
import { deletedResources } from "../reports/scan_targets.ts";
import type { StatusWriter } from "../status.ts";
import {
  cleanupExceptions,
  type CleanupPolicy,
  cleanupPolicy,
  exceptionsFrom,
  grantCleanupRights,
} from "./cleanup_policy.ts";
import { compileSchedule, type Schedule } from "./schedule.ts";

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
  /** `[Kind,namespace,name]` items of objects that no cleanup deletes; the defaults when absent. */
  readonly resourceFilters: () => string | undefined;
}

/** The longest wait of a timer, in milliseconds: schedules may be years apart. */
const longestWait = 3_600_000;

/** Milliseconds until the next try of a cleanup for which the API server did not list its resources. */
const tryAgain = 60_000;

/** The schedule of a policy whose schedule cannot be read. */
const never: Schedule = () => undefined;

interface Scheduled {
  readonly key: string;
  readonly policy: CleanupPolicy;
  readonly schedule: Schedule;
  /** The object's spec and those of its exceptions, as JSON. */
  readonly spec: string;
  object: PolicyObject;
  /** When its last run here ended, in milliseconds since 1970: its status may not have been read again since. */
  ran: number;
  /** The last run and the leadership from which its next run was computed; `undefined` when that must be anew. */
  basis: string | undefined;
  isRunning: boolean;
  timer: ReturnType<typeof setTimeout> | undefined;
}

/** A run of a policy, and the objects that it leaves alone. */
interface Run {
  readonly scheduled: Scheduled;
  readonly filtered: (resource: FilteredResource) => boolean;
  /** The rights that it lacked: `delete secrets`. */
  readonly lacking: string[];
}

/**
 * Runs cleanup policies and deleting policies when their schedules are due: lists the objects that they match, and
 * deletes those that they select. A run ends early when its policy is deleted or changes, or another replica leads.
 */
export class Cleaner {
  readonly #options: CleanerOptions;
  readonly #scheduled = new Map<string, Scheduled>();

  constructor(options: CleanerOptions) {
    this.#options = options;
  }

  /**
   * Takes the current policies and exceptions. A policy that did not change keeps its next run, except when it is due
   * since the last one: another replica may have led then.
   */
  policies(objects: readonly PolicyObject[], exceptions: readonly LocatedDocument[] = []): void {
    const former = new Map(this.#scheduled), read = cleanupExceptions(exceptions);
    for (const object of objects) {
      const key = JSON.stringify([object.kind.kind, namespaceOf(object.object), nameOf(object.object)]);
      const exempting = exceptionsFrom(object.object, read);
      const spec = JSON.stringify([object.object, ...exempting].map((each) => each["spec"] ?? null));
      const present = former.get(key);
      if (present?.spec === spec) {
        present.object = object;
        former.delete(key);
        if (!present.isRunning) this.#waitForNext(present);
      } else this.#schedule({ key, spec, object, ran: present?.ran ?? 0 }, exempting);
    }
    for (const [key, scheduled] of former) {
      clearTimeout(scheduled.timer);
      if (this.#scheduled.get(key) === scheduled) this.#scheduled.delete(key);
    }
  }

  /** Stops all schedules, and what is running after the current object. */
  close(): void {
    for (const { timer } of this.#scheduled.values()) clearTimeout(timer);
    this.#scheduled.clear();
  }

  #schedule(
    added: Pick<Scheduled, "key" | "spec" | "object" | "ran">,
    exceptions: readonly JsonObject[],
  ): void {
    const { compiling, log } = this.#options;
    const { object } = added.object;
    const policy = cleanupPolicy(object, { compiling, exceptions });
    const compiled = compileSchedule(policy.schedule);
    if (compiled instanceof Error) {
      log.write("warn", "cleanup policy without a schedule", {
        name: nameOf(object),
        reason: compiled.message,
      });
    }
    const schedule = compiled instanceof Error ? never : compiled;
    const scheduled: Scheduled = {
      ...added,
      policy,
      schedule,
      basis: undefined,
      isRunning: false,
      timer: undefined,
    };
    this.#scheduled.set(added.key, scheduled);
    this.#waitForNext(scheduled);
  }

  /**
   * Waits for the first time after a policy's last run, unless it does already. Kyverno parity: a run that no one was
   * there for is made up for, once. Pinned by "since its last run runs at once".
   */
  #waitForNext(scheduled: Scheduled): void {
    const { ports: { clock }, leads } = this.#options;
    const { ran, schedule, object: { object } } = scheduled, isLeading = leads();
    const last = Date.parse(asString(dig(object, "status", "lastExecutionTime")) ?? "") || createdAt(object);
    const basis = `${Math.max(last || 0, ran)} ${isLeading}`;
    if (scheduled.basis === basis) return;
    scheduled.basis = basis;
    const now = clock.now(), due = schedule(Math.max(last || now, ran));
    // A replica that does not lead leaves it to the one that does.
    this.#wait(scheduled, due !== undefined && due <= now && !isLeading ? schedule(now) : due);
  }

  /** Runs a policy at a time in milliseconds since 1970. */
  #wait(scheduled: Scheduled, due: number | undefined): void {
    clearTimeout(scheduled.timer);
    if (due === undefined) return;
    const left = due - this.#options.ports.clock.now();
    scheduled.timer = setTimeout(() => {
      if (left > longestWait) this.#wait(scheduled, due);
      else void this.#runAndWait(scheduled);
    }, Math.max(0, Math.min(longestWait, left)));
  }

  /** Runs a policy, and waits until it is due again. */
  async #runAndWait(scheduled: Scheduled): Promise<void> {
    const { ports: { clock }, leads, log } = this.#options;
    scheduled.isRunning = true;
    const ended = await this.#run(scheduled).catch((cause) => {
      log.write("error", "cleanup failed", { cause: String(cause) });
      return "done" as const;
    });
    scheduled.isRunning = false;
    const now = clock.now(), due = scheduled.schedule(now);
    if (ended === "done" && leads()) scheduled.ran = now;
    if (ended === "done") scheduled.basis = undefined;
    if (!this.#isPresent(scheduled)) return;
    this.#wait(scheduled, ended === "put off" ? Math.min(now + tryAgain, due ?? Infinity) : due);
  }

  #isPresent(scheduled: Scheduled): boolean {
    return this.#scheduled.get(scheduled.key) === scheduled;
  }

  /** Whether a run may delete further objects. */
  #goesOn(scheduled: Scheduled): boolean {
    return this.#isPresent(scheduled) && this.#options.leads();
  }

  async #run(scheduled: Scheduled): Promise<"done" | "put off"> {
    const { discovery, leads, log, statuses, ports, resourceFilters } = this.#options;
    if (!leads()) return "done";
    const discovered = await discovery.resources();
    if (!discovered.ok) {
      log.write("warn", "a cleanup was put off: the cluster's resources were not read", {
        policy: nameOf(scheduled.object.object),
        reason: discovered.message,
      });
      return "put off";
    }
    const filtered = compileResourceFilters(resourceFilters() ?? defaultResourceFilters);
    const run: Run = { scheduled, filtered, lacking: [] };
    for (const resource of deletedResources(scheduled.policy.snapshot, discovered.resources)) {
      await this.#runOn(resource, run);
    }
    this.#sayLacking(run);
    if (!this.#goesOn(scheduled)) return "done";
    const { kind, object } = scheduled.object;
    await statuses.write(kind, object, { lastExecutionTime: formatTimestamp(ports.clock.now()) });
    return "done";
  }

  async #runOn(resource: ServedResource, run: Run): Promise<void> {
    const { ports: { cluster }, account, log } = this.#options, { scheduled } = run;
    const { namespace } = scheduled.policy;
    const { group, plural } = resource;
    for (const verb of ["list", "delete"]) {
      if (!this.#goesOn(scheduled)) return;
      const right = { verb, group, resource: plural, ...(namespace !== undefined && { namespace }) };
      if (await hasRight(cluster, account, right) === false) {
        log.write("warn", "a right for the cleanup is missing", { account, verb, resource: plural });
        run.lacking.push(`${verb} ${group === "" ? plural : `${plural}.${group}`}`);
        return;
      }
    }
    for await (const target of listResource(resource, { cluster, namespace })) {
      if (!this.#goesOn(scheduled)) return;
      if (isFault(target)) {
        log.write("warn", "cleanup could not list all objects", { resource: plural, reason: target.message });
      } else {
        const path = objectPath(resource, { namespace: namespaceOf(target), name: nameOf(target) });
        await this.#consider(target, path, run);
      }
    }
  }

  /** Writes one event about a policy whose run lacked rights. */
  #sayLacking({ scheduled: { policy, object: { object } }, lacking }: Run): void {
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

  async #consider(target: JsonObject, path: string, { scheduled, filtered }: Run): Promise<void> {
    const { ports, log, events } = this.#options, { policy, object } = scheduled;
    const identity = { namespace: namespaceOf(target), name: nameOf(target) };
    if (isBeingDeleted(target) || filtered({ ...typeOf(target), subresource: "", ...identity })) return;
    const decision = await evaluate(policy.snapshot, existingRequest(target), {
      phase: "validate",
      rules: "all",
      ports,
      deadline: () => AbortSignal.timeout(10_000),
    });
    const isSelected = decision.results.some(({ rules }) =>
      rules.some((rule) => rule.result === policy.deletes && exceptionsOf(rule) === undefined)
    );
    if (!isSelected || !this.#goesOn(scheduled)) return;
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
