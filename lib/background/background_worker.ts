import type { Effect, PolicyQuery, PolicyRequest, Snapshot } from "../engine/mod.ts";
import { asObject, asString, jsonSize } from "../json/mod.ts";
import { nameOf, namespaceOf } from "../kube/mod.ts";
import type { Log, Ports } from "../ports.ts";
import { carryOut } from "./carry_out.ts";
import type { Failure } from "./failure.ts";
import { FairQueue, type Ticket } from "./fair_queue.ts";
import { changeOf } from "./followed_request.ts";
import { type OnlyRule, phases, type Tried, tryRequest } from "./request_try.ts";
import type { WorkOutcome } from "./work_outcome.ts";

/** The ports and bounds of the worker. */
export interface BackgroundOptions {
  readonly snapshot: () => Snapshot | undefined;
  readonly ports: Ports;
  readonly log: Log;
  /** The user names under which the API server knows Postern: rules are not evaluated for Postern's own changes. */
  readonly actors?: ReadonlySet<string>;
  /**
   * Where triggers are taken from: from the request, or, the default of a live cluster, from the cluster, which knows
   * whether the request was really carried out.
   */
  readonly triggers?: "as-admitted" | "as-stored";
  /** Bytes of JSON of the requests that may wait, with those that wait for another try: 16 MiB by default. */
  readonly maxBytes?: number;
  /** Requests that are worked on at the same time, each of another namespace: 4 by default. */
  readonly concurrency?: number;
  /** How often a request is tried; 10 by default, which takes 50 seconds. */
  readonly attempts?: number;
  /** Milliseconds before the second try; twice as many before each further one, at most a minute. 100 by default. */
  readonly firstDelay?: number;
  /** Requests that are remembered, so that none is worked on twice; 4096 by default. */
  readonly memory?: number;
  /** Receives a request for which the queue had no room; {@link Upkeep} finds its effects in the cluster later. */
  readonly refused?: (request: PolicyRequest) => void;
  /** Receives the outcome of a request's effects when they are done or given up, and each failure before that. */
  readonly worked?: (outcome: WorkOutcome) => void;
  /** Lets time pass; given in tests. */
  readonly wait?: (milliseconds: number) => Promise<void>;
}

/** Which rules a request is for. */
export interface JobScope {
  /** The one rule that is meant. */
  readonly only?: OnlyRule;
  /**
   * The policies of the webhook's URL: the API server calls for each group apart, perhaps another replica, and each
   * does the work of its own.
   */
  readonly route?: Pick<PolicyQuery, "failurePolicy" | "policy">;
}

/** One request with its tries so far. */
interface Job extends JobScope {
  readonly request: PolicyRequest;
  tries: number;
  /**
   * The effects that earlier tries carried out, by identity. A later try must not repeat a patch that adds to a list.
   */
  readonly done: Map<string, Effect>;
}

const nobody: ReadonlySet<string> = new Set();
const longestDelay = 60_000;
/** The number of failed attempts after which a failure is reported: an object is often created a moment later. */
const reportAfter = 3;
/**
 * How often a missing target is looked for. Kyverno parity: as often. Pinned by "the worker looks for a target that does not
 * exist five times, and no failure is reported".
 */
const targetAttempts = 5;
/** How long one try may take. */
const attemptTimeoutMs = 30_000;
/** Longer uids are no uids of the API server's. */
const longestUid = 128;

/**
 * Carries out what generate and mutateExisting rules want, after the answer has gone out, and keeps what was generated in
 * step when a request changes it or its source. Every try plans anew from the cluster as it then is, so a try that was cut
 * off can be repeated. A request is worked on once, however many webhooks it came through, and never for a dry run.
 * Waiting requests are kept in memory only, in a queue that no namespace can fill for others.
 */
export class BackgroundWorker {
  readonly #options: BackgroundOptions;
  readonly #queue: FairQueue<Job>;
  readonly #maxBytes: number;
  readonly #seen = new Set<string>();
  readonly #running = new Set<Promise<void>>();
  readonly #pausing = new Set<Promise<void>>();
  #starting: Promise<void> | undefined;
  #refused = 0;
  #closed = false;

  constructor(options: BackgroundOptions) {
    this.#options = options;
    this.#maxBytes = options.maxBytes ?? 16 * 1024 * 1024;
    this.#queue = new FairQueue(this.#maxBytes);
  }

  /** Requests that wait, now or for another try, or are worked on. */
  get waiting(): number {
    return this.#queue.size;
  }

  /** Takes a request that was allowed; whether there is something to do for it, and room. */
  add(request: PolicyRequest, scope: JobScope = {}): boolean {
    if (this.#closed || request.dryRun || !this.#concerns(request, scope)) return false;
    if (this.#isRepeated(request, scope)) return false;
    const { kind, name, namespace } = request;
    const item: Job = { ...scope, request, tries: 0, done: new Map() };
    const lane = namespace === "" && kind === "Namespace" ? name : namespace;
    const ticket: Ticket<Job> = { item, lane, bytes: jsonSize(request.variable) };
    const refused = this.#queue.add(ticket);
    for (const each of refused) this.#refuse(each.item.request);
    this.#begin();
    return !refused.includes(ticket);
  }

  /** Waits until half of the room is free: for those who bring many. */
  async room(): Promise<void> {
    while (!this.#closed && this.#queue.bytes > this.#maxBytes / 2) await this.#progress();
  }

  /** Waits until everything that was taken is done or given up: for tests, and for shutting down in peace. */
  async drain(): Promise<void> {
    while (this.#queue.size > 0) await this.#progress();
  }

  /** Takes nothing more, finishes what is under way, and drops what still waits. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#queue.clear();
    await Promise.all(this.#running);
  }

  #concerns(request: PolicyRequest, { route = {} }: JobScope): boolean {
    const snapshot = this.#options.snapshot();
    if (snapshot === undefined) return false;
    const isByPostern = this.#options.actors?.has(request.requester?.username ?? "") === true;
    if (!isByPostern && changeOf(request) !== undefined) return true;
    const { kind, operation, namespace } = request;
    return phases.some((phase) =>
      snapshot.candidates(phase, { kind, operation, namespace }).some(({ policy }) =>
        (route.failurePolicy === undefined || policy.failurePolicy === route.failurePolicy) &&
        (route.policy === undefined || policy.key === route.policy)
      )
    );
  }

  /** Whether the request came before, for the same policies; remembers it. */
  #isRepeated({ uid }: PolicyRequest, { route = {} }: JobScope): boolean {
    if (uid === "" || uid.length > longestUid) return false;
    const key = `${uid} ${route.failurePolicy ?? ""} ${route.policy ?? ""}`;
    if (this.#seen.has(key)) return true;
    this.#seen.add(key);
    if (this.#seen.size > (this.#options.memory ?? 4096)) {
      const [oldest] = this.#seen;
      this.#seen.delete(oldest!);
    }
    return false;
  }

  #refuse(request: PolicyRequest): void {
    // The first one says it; a flood of them must not become a flood of lines.
    const level = this.#refused++ === 0 ? "error" : "debug";
    this.#log(level, "effects refused: too many requests wait", request);
    this.#options.refused?.(request);
  }

  #begin(): void {
    // Answers go first: work starts when the event loop has nothing else to do.
    this.#starting ??= sleep(0).then(() => {
      this.#starting = undefined;
      while (!this.#closed && this.#running.size < (this.#options.concurrency ?? 4)) {
        const ticket = this.#queue.next();
        if (ticket === undefined) return;
        const run: Promise<void> = this.#attempt(ticket).finally(() => {
          this.#running.delete(run);
          if (this.#queue.size > 0) this.#begin();
          else this.#refused = 0;
        });
        this.#running.add(run);
      }
    });
  }

  async #progress(): Promise<void> {
    await (this.#starting ?? Promise.race([...this.#running, ...this.#pausing]));
  }

  async #attempt(ticket: Ticket<Job>): Promise<void> {
    const { request, tries } = ticket.item;
    const tried = await this.#work(ticket.item);
    const { failures } = tried;
    const attempts = this.#attemptsFor(failures);
    const [first] = failures;
    if (first === undefined) {
      this.#reportOutcome("done", ticket.item, tried);
      return this.#queue.release(ticket);
    }
    if (tries + 1 >= attempts || failures.every(({ retryable }) => !retryable)) {
      // That a request was not carried out after all, or finds no target, is nobody's mistake.
      const level = failures.every(({ moot }) => moot !== undefined) ? "debug" : "error";
      this.#log(level, "effects given up", request, { tries: tries + 1, cause: first.message });
      this.#reportOutcome("given up", ticket.item, tried);
      return this.#queue.release(ticket);
    }
    if (tries + 1 === reportAfter) this.#reportOutcome("failing", ticket.item, tried);
    this.#log("debug", "effects are tried again", request, { tries: tries + 1, cause: first.message });
    this.#queue.pause(ticket);
    const delay = Math.min((this.#options.firstDelay ?? 100) * 2 ** tries, longestDelay);
    const pause = (this.#options.wait ?? sleep)(delay).then(() => {
      this.#pausing.delete(pause);
      ticket.item.tries++;
      if (!this.#closed && this.#queue.resume(ticket)) this.#begin();
    });
    this.#pausing.add(pause);
  }

  #attemptsFor(failures: readonly Failure[]): number {
    const { attempts = 10 } = this.#options;
    return failures.every(({ moot }) => moot === "targetMissing")
      ? Math.min(attempts, targetAttempts)
      : attempts;
  }

  #reportOutcome(state: WorkOutcome["state"], { done }: Job, { request, results, failures }: Tried): void {
    this.#options.worked?.({ state, request, results, carried: [...done.values()], failures });
  }

  /** One try. */
  async #work(job: Job): Promise<Tried> {
    const snapshot = this.#options.snapshot();
    if (snapshot === undefined) {
      const failures = [{ message: "no policies are loaded", retryable: true }];
      return { request: job.request, results: [], failures };
    }
    const { ports, actors = nobody, triggers = "as-admitted" } = this.#options;
    return await tryRequest(job.request, {
      snapshot,
      ports,
      actors,
      triggers,
      only: job.only,
      route: job.route ?? {},
      attemptTimeoutMs,
      carryOut: (effect) => this.#carryOut(effect, job),
    });
  }

  async #carryOut(effect: Effect, { request, done }: Job): Promise<Failure[]> {
    const key = keyOf(effect);
    if (done.has(key)) return [];
    const carried = await carryOut(
      effect,
      this.#options.ports.cluster,
      AbortSignal.timeout(attemptTimeoutMs),
    );
    if (!carried.done) {
      if (effect.dispensable === undefined) {
        return [{ ...carried, by: { policy: effect.policy, rule: effect.rule } }];
      }
      this.#log("warn", "effect left out", request, { reason: effect.reason, cause: carried.message });
      return [];
    }
    done.set(key, effect);
    const { verb, policy, rule, reason } = effect;
    if (carried.changed) {
      this.#log("info", `effect: ${verb}`, request, { policy, rule, reason, object: objectOf(effect) });
    }
    return [];
  }

  #log(
    level: Parameters<Log["write"]>[0],
    message: string,
    { uid, kind, namespace, name }: PolicyRequest,
    fields: Parameters<Log["write"]>[2] = {},
  ): void {
    this.#options.log.write(level, message, { uid, kind, namespace, name, ...fields });
  }
}

/** `Kind/namespace/name` of what an effect is about, for logs. */
export function objectOf({ object }: Effect): string {
  const parts = [asString(object["kind"]) ?? "", namespaceOf(object), nameOf(object)];
  return parts.filter((part) => part !== "").join("/");
}

/** The identity of an effect: its policy, rule, verb and target. */
function keyOf({ policy, rule, verb, object, subresource = "" }: Effect): string {
  const metadata = asObject(object["metadata"]) ?? {};
  const type = [object["apiVersion"], object["kind"], subresource];
  return JSON.stringify([policy, rule, verb, type, metadata["namespace"], metadata["name"]]);
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
