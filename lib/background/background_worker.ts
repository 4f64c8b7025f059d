import type { PolicyRequest, Snapshot } from "../engine/mod.ts";
import { heapSize } from "../json/mod.ts";
import { pause } from "../pause.ts";
import { elapsedOn, type Log, type Ports } from "../ports.ts";
import { EffectWriter, requestFields } from "./effect_writer.ts";
import { FairQueue, type Ticket } from "./fair_queue.ts";
import { changeOf } from "./followed_request.ts";
import { nextTry, type TriesOptions } from "./next_try.ts";
import type { onceOnlyInDoubt } from "./once_only.ts";
import type { JobScope, RequestJob } from "./request_job.ts";
import { phases, type Tried, tryRequest } from "./request_try.ts";
import { RecentRequests } from "./recent_requests.ts";
import type { EffectsResult } from "./effects_result.ts";

/** The ports and bounds of the worker. */
export interface BackgroundOptions extends TriesOptions {
  readonly snapshot: () => Snapshot | undefined;
  readonly ports: Ports;
  readonly log: Log;
  /** The user names under which the API server knows Postern. Rules are not evaluated for changes by these users. */
  readonly actors?: ReadonlySet<string>;
  /**
   * The source of triggers: `as-admitted` takes the request's object, `as-stored` (the default of a live cluster)
   * reads it from the cluster, which shows whether the request was carried out.
   */
  readonly triggers?: "as-admitted" | "as-stored";
  /**
   * The most bytes of heap of waiting requests, including those that wait for another try: 16 MiB by default. One large
   * request may go beyond it when half of it is free.
   */
  readonly maxBytes?: number;
  /** The most requests that are processed at a time, each of another namespace: 4 by default. */
  readonly concurrency?: number;
  /** The most requests that are remembered, so that none is processed twice: 4,096 by default. */
  readonly mostRemembered?: number;
  /**
   * Called with a request whose effects this worker does not carry out, because the queue is full or the worker closes,
   * and with the milliseconds that it waited. {@link Upkeep} finds those effects in the cluster later.
   */
  readonly refused?: (request: PolicyRequest, waited: number) => void;
  /** Called with each request that is taken. */
  readonly taken?: () => void;
  /**
   * Receives the result of a request's effects when they are done or given up, and once before that when several tries
   * failed. True when the cluster has an UpdateRequest for the failed effects, so that they outlive this worker.
   */
  readonly effectsTried?: (result: EffectsResult) => boolean | void;
  /**
   * Chooses updates after a try in which some had no answer. Absent in bundles, which have no room for it: an update
   * that adds to its target may then be carried out twice.
   */
  readonly inDoubt?: typeof onceOnlyInDoubt;
  /** Waits for some milliseconds, or until the signal aborts; tests replace it. */
  readonly wait?: (milliseconds: number, signal: AbortSignal) => Promise<unknown>;
}

/**
 * The worker's answer to a request:
 * - `taken`: its effects are carried out;
 * - `no room`: its effects wait for a later attempt of the caller, as too many requests wait, or no policies are loaded
 *   yet, or any more;
 * - `no work`: nothing is to be done for it, or it came before.
 */
export type Intake = "taken" | "no room" | "no work";

const nobody: ReadonlySet<string> = new Set();
/** Milliseconds that one try may take. */
const attemptTimeoutMs = 30_000;

/**
 * Carries out the effects of generate and mutateExisting rules after the answer, and keeps generated objects in step
 * when a request changes them or their source. Every attempt plans again from the cluster's current state, so an
 * interrupted try can be repeated. A request is processed once, however many webhooks it passed, and never for a dry
 * run. Waiting requests are in memory only, in a queue that no namespace can fill for others.
 */
export class BackgroundWorker {
  readonly #options: BackgroundOptions;
  readonly #queue: FairQueue<RequestJob>;
  readonly #maxBytes: number;
  readonly #recent: RecentRequests;
  readonly #running = new Set<Promise<void>>();
  readonly #pausing = new Set<Promise<void>>();
  readonly #writer: EffectWriter;
  #starting: Promise<void> | undefined;
  #refused = 0;
  readonly #stop = new AbortController();

  constructor(options: BackgroundOptions) {
    this.#options = options;
    this.#maxBytes = options.maxBytes ?? 16 * 1024 * 1024;
    this.#queue = new FairQueue(this.#maxBytes);
    this.#recent = new RecentRequests(options.mostRemembered ?? 4096);
    this.#writer = new EffectWriter({ ...options, timeout: attemptTimeoutMs });
  }

  /** The number of requests that wait, now or for another try, or are being processed. */
  get waiting(): number {
    return this.#queue.size;
  }

  /** Takes an allowed request, if it has work to do and the queue has room. */
  add(request: PolicyRequest, scope: JobScope = {}): Intake {
    const snapshot = this.#options.snapshot();
    if (this.#closed || snapshot === undefined) return "no room";
    if (request.dryRun || !this.#concerns(request, scope, snapshot)) return "no work";
    if (!this.#recent.add(request, scope.route)) return "no work";
    const { kind, name, namespace } = request;
    const addedAt = elapsedOn(this.#options.ports.clock);
    const begun = { tries: 0, isSeen: false, isKept: false, done: new Map(), doubtful: new Map() };
    const item: RequestJob = { ...scope, ...begun, request, addedAt };
    const lane = namespace === "" && kind === "Namespace" ? name : namespace;
    const ticket: Ticket<RequestJob> = { item, lane, bytes: heapSize(request.variable) };
    const refused = this.#queue.add(ticket);
    for (const each of refused) {
      this.#refuse(each.item);
      this.#writer.forget(each.item);
      if (each !== ticket) each.item.ended?.("refused");
    }
    this.#begin();
    if (refused.includes(ticket)) return "no room";
    this.#options.taken?.();
    return "taken";
  }

  /** Waits until half of the queue is free, for callers with many requests. */
  async room(): Promise<void> {
    while (!this.#closed && this.#queue.bytes > this.#maxBytes / 2) await this.#progress();
  }

  /** Waits until every request is done or given up, for tests and for shutting down. */
  async drain(): Promise<void> {
    while (this.#queue.size > 0) await this.#progress();
  }

  /**
   * Takes no more requests and finishes those in progress. It drops the others, and reports as refused those that have
   * no UpdateRequest.
   */
  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#running);
    for (const ticket of this.#queue.held) {
      this.#queue.release(ticket);
      if (!ticket.item.isKept) this.#reportRefused(ticket.item);
      ticket.item.ended?.("refused");
    }
  }

  /**
   * The milliseconds since the first of the waiting requests without an UpdateRequest; `undefined` when none waits. A
   * request that another webhook or the API server still holds up has none, however often it was tried.
   */
  get longestWait(): number | undefined {
    const waiting = this.#queue.held.filter(({ item }) => !item.isKept);
    const added = waiting.map(({ item }) => item.addedAt);
    return added.length === 0 ? undefined : elapsedOn(this.#options.ports.clock) - Math.min(...added);
  }

  get #closed(): boolean {
    return this.#stop.signal.aborted;
  }

  #concerns(request: PolicyRequest, { route = {} }: JobScope, snapshot: Snapshot): boolean {
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

  #refuse(job: RequestJob): void {
    // Only the first refused request is an error in the log, so that a flood of requests does not flood the log.
    const level = this.#refused++ === 0 ? "error" : "debug";
    this.#options.log.write(level, "effects refused: too many requests wait", requestFields(job.request));
    this.#reportRefused(job);
  }

  #reportRefused({ request, addedAt }: RequestJob): void {
    this.#options.refused?.(request, elapsedOn(this.#options.ports.clock) - addedAt);
  }

  #begin(): void {
    // Answers come first: the work starts when the event loop is idle.
    this.#starting ??= pause(0).then(() => {
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

  async #attempt(ticket: Ticket<RequestJob>): Promise<void> {
    const job = ticket.item;
    const tried = await this.#work(job);
    const next = nextTry(tried.failures, job.tries, this.#options);
    switch (next.kind) {
      case "done":
        return this.#end("done", ticket, tried);
      case "wait":
        job.isSeen = true;
        return this.#pause(ticket, next.delay);
      case "give up":
        this.#logTry(job, "effects given up", { cause: next.cause, level: next.isError ? "error" : "debug" });
        return this.#end("given up", ticket, tried);
      case "again":
        if (next.isReported) job.isKept = this.#reportResult("failing", job, tried) === true;
        this.#logTry(job, "effects are tried again", { cause: next.cause, level: "debug" });
        job.tries++;
        return this.#pause(ticket, next.delay);
    }
  }

  #logTry(
    { request, tries }: RequestJob,
    message: string,
    { cause, level }: { readonly cause: string; readonly level: "debug" | "error" },
  ): void {
    this.#options.log.write(level, message, { ...requestFields(request), tries: tries + 1, cause });
  }

  /** Runs the next try of a job after some milliseconds. */
  #pause(ticket: Ticket<RequestJob>, delay: number): void {
    this.#queue.pause(ticket);
    const pausing = (this.#options.wait ?? pause)(delay, this.#stop.signal).then(() => {
      this.#pausing.delete(pausing);
      if (!this.#closed && this.#queue.resume(ticket)) this.#begin();
    });
    this.#pausing.add(pausing);
  }

  #end(state: "done" | "given up", ticket: Ticket<RequestJob>, tried: Tried): void {
    this.#reportResult(state, ticket.item, tried);
    this.#writer.forget(ticket.item);
    this.#queue.release(ticket);
    ticket.item.ended?.("over");
  }

  #reportResult(
    state: EffectsResult["state"],
    { done }: RequestJob,
    { request, results, failures }: Tried,
  ): boolean | void {
    return this.#options.effectsTried?.({ state, request, results, carried: [...done.values()], failures });
  }

  /** Runs one try of a job. */
  async #work(job: RequestJob): Promise<Tried> {
    const snapshot = this.#options.snapshot();
    if (snapshot === undefined) {
      const failures = [{ message: "no policies are loaded", retryable: true }];
      return { request: job.request, results: [], failures };
    }
    const { ports, log, actors = nobody, triggers = "as-admitted", inDoubt } = this.#options;
    return await tryRequest(job.request, {
      snapshot,
      ports,
      log,
      actors,
      triggers,
      only: job.only,
      onceOnly: job.onceOnly ??
        (inDoubt && job.doubtful.size > 0
          ? (planned, plan) => inDoubt(planned, plan, job.doubtful)
          : undefined),
      route: job.route ?? {},
      isSeen: job.isSeen,
      attemptTimeoutMs,
      carryOut: (effect) => this.#writer.carryOut(effect, job),
      correct: (effect) => this.#writer.correct(effect, job),
    });
  }
}
