import {
  type Decision,
  evaluate,
  type PolicyQuery,
  type PolicyRequest,
  type Snapshot,
} from "../engine/mod.ts";
import { pause } from "../pause.ts";
import type { Log, Ports } from "../ports.ts";
import { logAudit } from "./audit_log.ts";
import { Deadline } from "./deadline.ts";
import type { Metrics } from "./metrics/metrics.ts";
import { estimateHeld, type HeldReview, type ReviewHeap } from "./review_heap.ts";
import { joinedWatch, type Tracing } from "./tracing.ts";

/** The policies, ports and bounds of the queue. */
export interface AuditOptions {
  readonly snapshot: () => Snapshot | undefined;
  readonly ports: Ports;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly tracing?: Tracing | undefined;
  /** Called with every decision. */
  readonly decided?: (decision: Decision, request: PolicyRequest) => void;
  /** The most bytes of heap that waiting reviews take; beyond it the oldest are dropped. 8 MiB by default. */
  readonly maxBytes?: number;
  /** The most requests that wait for loads at a time: 32 by default. */
  readonly maxLoading?: number;
  /**
   * Milliseconds of each round of the event loop in which requests are evaluated as soon as they are added; further
   * ones wait. None by default, for servers that add a request before they send its answer.
   */
  readonly atOnce?: number;
}

/** The policies of the request's webhook: each webhook's request is audited for its policies only. */
export type Audited = Pick<PolicyQuery, "failurePolicy" | "policy">;

interface Waiting extends HeldReview {
  readonly request: PolicyRequest;
  readonly scope: Audited;
}

/** A request whose rules wait for loads. */
interface Loading extends HeldReview {
  readonly deadline: Deadline;
  readonly done: Promise<void>;
}

/**
 * Evaluates audit rules after the answer: they cannot change it, so the API server should not wait for them. Their
 * results go to metrics and the log. The queue is bounded in bytes; requests that do not fit are dropped and counted
 * in the log. Requests that wait for loads do not delay others: when there are too many, the oldest gets no more
 * time.
 */
export class AuditQueue {
  readonly #options: AuditOptions;
  readonly #waiting: Waiting[] = [];
  readonly #loading = new Set<Loading>();
  #bytes = 0;
  #running: Promise<void> | undefined;
  /** Milliseconds of this round that are left of `atOnce`. */
  #atOnceLeft = 0;
  #dropped = 0;

  constructor(options: AuditOptions) {
    this.#options = options;
  }

  /** Adds an answered request, which takes so much of the heap. */
  add(request: PolicyRequest, scope: Audited, heap: ReviewHeap): void {
    const candidates = this.#options.snapshot()?.candidates("validate", request) ?? [];
    const { failurePolicy, policy: key } = scope;
    const hasAudit = candidates.some(({ policy, audited }) =>
      audited &&
      (failurePolicy === undefined || policy.failurePolicy === failurePolicy) &&
      (key === undefined || policy.key === key)
    );
    if (!hasAudit) return;
    const review: Waiting = { request, scope, heap, bytes: heap.bytes };
    if (!this.#makeRoom(review)) {
      this.#dropped++;
      return;
    }
    this.#bytes += review.bytes;
    // V8 copies what waits when it collects garbage: with 64 callers, a request that waits for its audit takes a
    // quarter more processor time (`deno task bench --only throughput`).
    if (this.#running === undefined) this.#atOnceLeft = this.#options.atOnce ?? 0;
    if (this.#atOnceLeft > 0 && this.#waiting.length === 0) {
      const started = performance.now();
      this.#evaluate(review);
      this.#atOnceLeft -= performance.now() - started;
    } else this.#waiting.push(review);
    this.#running ??= this.#run();
  }

  /** Waits until every request is evaluated, for shutting down and for tests. */
  async drain(): Promise<void> {
    while (this.#running !== undefined || this.#loading.size > 0) {
      await this.#running;
      await Promise.all([...this.#loading].map(({ done }) => done));
    }
  }

  /** Estimates what requests take, then drops the oldest until there is room, or nothing left to drop. */
  #makeRoom(added: Waiting): boolean {
    const maxBytes = this.#options.maxBytes ?? 8 * 1024 * 1024;
    if (this.#bytes + added.bytes <= maxBytes) return true;
    for (const held of [[added], this.#waiting, this.#loading]) {
      this.#bytes = estimateHeld(held, this.#bytes + added.bytes, maxBytes) - added.bytes;
    }
    while (this.#bytes + added.bytes > maxBytes) {
      const oldest = this.#waiting.shift();
      if (oldest === undefined) {
        if (!this.#hurry()) return false;
      } else {
        this.#bytes -= oldest.bytes;
        this.#dropped++;
      }
    }
    return true;
  }

  /** Ends the loads of the request that has waited longest; false when none waits. */
  #hurry(): boolean {
    const [oldest] = this.#loading;
    if (oldest === undefined) return false;
    this.#loading.delete(oldest);
    this.#bytes -= oldest.bytes;
    oldest.deadline.end();
    return true;
  }

  async #run(): Promise<void> {
    // Answers have priority: the queue starts when the event loop is idle, and pauses regularly.
    await pause(0);
    let until = performance.now() + sliceMilliseconds;
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      this.#evaluate(next);
      if (performance.now() < until) continue;
      await pause(0);
      until = performance.now() + sliceMilliseconds;
    }
    this.#running = undefined;
    if (this.#dropped > 0) {
      this.#options.log.write("warn", "audit results dropped", { requests: this.#dropped });
      this.#dropped = 0;
    }
  }

  /** Adds a request that waits for loads; `done` resolves when it is evaluated. */
  #addLoading({ heap, bytes, deadline, done }: Loading): void {
    const loading: Loading = {
      heap,
      bytes,
      deadline,
      done: done.finally(() => {
        deadline.release();
        if (this.#loading.delete(loading)) this.#bytes -= loading.bytes;
      }),
    };
    this.#loading.add(loading);
    if (this.#loading.size > (this.#options.maxLoading ?? 32)) this.#hurry();
  }

  #evaluate(review: Waiting): void {
    const { request, scope, heap, bytes } = review;
    const { snapshot, ports, log, metrics, tracing } = this.#options;
    const current = snapshot();
    if (current === undefined) {
      this.#bytes -= bytes;
      return;
    }
    const deadline = new Deadline(budget), started = performance.now();
    const spans = tracing?.begin({ request, phase: "validate", rules: "audit", ports, started });
    const finish = (decision: Decision): void => {
      spans?.end(decision);
      metrics.decided(decision, request);
      this.#options.decided?.(decision, request);
      logAudit(log, request, decision);
    };
    const broken = (cause: unknown): void => {
      spans?.end({ failure: String(cause) });
      log.write("error", "audit failed", { uid: request.uid, cause: String(cause) });
    };
    try {
      const decision = evaluate(current, request, {
        ...scope,
        phase: "validate",
        rules: "audit",
        budget,
        ports: spans?.ports ?? ports,
        watch: joinedWatch(metrics.times.watch(started), spans),
        deadline: () => deadline.signal(),
      });
      if (decision instanceof Promise) {
        this.#addLoading({ heap, bytes, deadline, done: decision.then(finish).catch(broken) });
        return;
      }
      finish(decision);
    } catch (cause) {
      broken(cause);
    }
    deadline.release();
    this.#bytes -= bytes;
  }
}

/** The time limit for the audit rules of one request, in milliseconds. */
const budget = 30_000;

/** Milliseconds after which the queue yields to answers: less than a client notices. */
const sliceMilliseconds = 2;
