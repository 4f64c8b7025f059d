import type { CompileOptions } from "../../engine/mod.ts";
import { asString, completed, dig, type JsonObject, type Stages } from "../../json/mod.ts";
import { createdAt, formatTimestamp, nameOf, namespaceOf } from "../../kube/mod.ts";
import { inSlices } from "../../slices.ts";
import type { LocatedDocument } from "../../policy/mod.ts";
import type { PolicyObject } from "../policy_objects.ts";
import type { StatusWriter } from "../status_writer.ts";
import { cleanupExceptions, type CleanupPolicy, cleanupPolicy, exceptionsFrom } from "./cleanup_policy.ts";
import { CleanupRun, type CleanupRunOptions } from "./cleanup_run.ts";
import { Schedules } from "./schedule.ts";

/** The ports and options of a {@link Cleaner}. */
export interface CleanerOptions extends Omit<CleanupRunOptions, "goesOn"> {
  readonly compiling: CompileOptions;
  readonly statuses: StatusWriter;
  readonly leads: () => boolean;
}

/** The longest wait of a timer, in milliseconds: schedules may be years apart. */
const longestWait = 3_600_000;

/** Milliseconds until the next try of a cleanup for which the API server did not list its resources. */
const retryDelay = 60_000;

interface Scheduled {
  readonly key: string;
  readonly policy: CleanupPolicy;
  /** The object's spec and those of its exceptions, as JSON. */
  readonly spec: string;
  object: PolicyObject;
  /** When its last run here ended, in milliseconds since 1970: its status may not have been read again since. */
  ran: number;
  /** The last run and the leadership from which the next run was computed; `undefined` to compute it again. */
  basis: string | undefined;
  isRunning: boolean;
  timer: ReturnType<typeof setTimeout> | undefined;
}

/**
 * Runs cleanup policies and deleting policies when their schedules are due: lists the objects that they match, and
 * deletes those that they select. A run ends early when its policy is deleted or changes, or another replica leads.
 */
export class Cleaner {
  readonly #options: CleanerOptions;
  readonly #scheduled = new Map<string, Scheduled>();
  readonly #schedules = new Schedules();
  #updating: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(options: CleanerOptions) {
    this.#options = options;
  }

  /**
   * Takes the current policies and exceptions. A policy that did not change keeps its next run, except when it is due
   * since the last one: another replica may have led then. With a scheduler it takes them in slices.
   */
  policies(objects: readonly PolicyObject[], exceptions: readonly LocatedDocument[] = []): void {
    const { ports: { scheduler } } = this.#options, stages = this.#take(objects, exceptions);
    if (scheduler === undefined) completed(stages);
    else this.#updating = this.#updating.then(() => inSlices(stages, scheduler));
  }

  *#take(objects: readonly PolicyObject[], exceptions: readonly LocatedDocument[]): Stages<void> {
    const keys = new Set(objects.map(keyOf)), read = cleanupExceptions(exceptions);
    // Deleted policies end first.
    for (const [key, { timer }] of this.#scheduled) {
      if (keys.has(key)) continue;
      clearTimeout(timer);
      this.#scheduled.delete(key);
    }
    for (const object of objects) {
      yield;
      if (this.#isClosed) return;
      const key = keyOf(object), present = this.#scheduled.get(key);
      const exempting = exceptionsFrom(object.object, read);
      const spec = JSON.stringify([object.object, ...exempting].map((each) => each["spec"] ?? null));
      if (present?.spec === spec) {
        present.object = object;
        if (!present.isRunning) this.#waitForNext(present);
      } else {
        clearTimeout(present?.timer);
        this.#schedule({ key, spec, object, ran: present?.ran ?? 0 }, exempting);
      }
    }
  }

  /** Stops all schedules, and what is running after the current object. */
  close(): void {
    this.#isClosed = true;
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
    const compiled = this.#schedules.of(policy.schedule);
    if (compiled instanceof Error) {
      log.write("warn", "cleanup policy without a schedule", {
        name: nameOf(object),
        reason: compiled.message,
      });
    }
    const scheduled: Scheduled = {
      ...added,
      policy,
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
    const { ran, policy, object: { object } } = scheduled, isLeading = leads();
    const last = Date.parse(asString(dig(object, "status", "lastExecutionTime")) ?? "") || createdAt(object);
    const basis = `${Math.max(last || 0, ran)} ${isLeading}`;
    if (scheduled.basis === basis) return;
    scheduled.basis = basis;
    const now = clock.now(), due = this.#schedules.next(policy.schedule, Math.max(last || now, ran));
    // A replica that does not lead leaves it to the one that does.
    const isMissed = due !== undefined && due <= now && !isLeading;
    this.#wait(scheduled, isMissed ? this.#schedules.next(policy.schedule, now) : due);
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
    const now = clock.now(), due = this.#schedules.next(scheduled.policy.schedule, now);
    if (ended === "done" && leads()) scheduled.ran = now;
    if (ended === "done") scheduled.basis = undefined;
    if (!this.#isPresent(scheduled)) return;
    this.#wait(scheduled, ended === "postponed" ? Math.min(now + retryDelay, due ?? Infinity) : due);
  }

  #isPresent(scheduled: Scheduled): boolean {
    return this.#scheduled.get(scheduled.key) === scheduled;
  }

  async #run(scheduled: Scheduled): Promise<"done" | "postponed"> {
    const { leads, statuses, ports: { clock } } = this.#options;
    if (!leads()) return "done";
    const goesOn = (): boolean => this.#isPresent(scheduled) && leads();
    if (await new CleanupRun({ ...this.#options, goesOn }, scheduled).run() === "postponed") {
      return "postponed";
    }
    if (!goesOn()) return "done";
    const { kind, object } = scheduled.object;
    await statuses.write(kind, object, { lastExecutionTime: formatTimestamp(clock.now()) });
    return "done";
  }
}

function keyOf({ kind: { kind }, object }: PolicyObject): string {
  return JSON.stringify([kind, namespaceOf(object), nameOf(object)]);
}
