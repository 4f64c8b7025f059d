import {
  type CompiledPolicy,
  evaluate,
  type PolicyRequest,
  type Question,
  type Snapshot,
} from "../engine/mod.ts";
import type { Log, Ports } from "../ports.ts";
import { Deadline } from "./deadline.ts";
import type { Metrics } from "./metrics.ts";

/** What the queue evaluates with. */
export interface AuditOptions {
  readonly snapshot: () => Snapshot | undefined;
  readonly ports: Ports;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Requests that may wait; the oldest are dropped beyond it. */
  readonly capacity?: number;
}

/** Which policies the request was about: each webhook's request is audited for its own policies. */
export type Audited = Pick<Question, "failurePolicy" | "policy">;

interface Waiting {
  readonly subject: PolicyRequest;
  readonly asked: Audited;
}

/**
 * Evaluates audit rules after the answer has gone out: they cannot change it, so nobody should wait for them. Their
 * results go to metrics and log. The queue is bounded; what does not fit is dropped and counted in the log.
 */
export class AuditQueue {
  readonly #options: AuditOptions;
  readonly #waiting: Waiting[] = [];
  #running: Promise<void> | undefined;
  #dropped = 0;

  constructor(options: AuditOptions) {
    this.#options = options;
  }

  /** Takes a request that was answered. */
  add(subject: PolicyRequest, asked: Audited): void {
    const candidates = this.#options.snapshot()?.candidates("validate", subject) ?? [];
    const { failurePolicy, policy: key } = asked;
    const hasAudit = auditedOf(candidates).some(({ policy }) =>
      (failurePolicy === undefined || policy.failurePolicy === failurePolicy) &&
      (key === undefined || policy.key === key)
    );
    if (!hasAudit) return;
    if (this.#waiting.length >= (this.#options.capacity ?? 256)) {
      this.#waiting.shift();
      this.#dropped++;
    }
    this.#waiting.push({ subject, asked });
    this.#running ??= this.#run();
  }

  /** Waits until everything that was taken is evaluated: for shutting down, and for tests. */
  async drain(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    // Answers go first: the queue starts when the event loop has nothing else to do, and makes way from time to time.
    await pause();
    let until = performance.now() + sliceMilliseconds;
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      await this.#evaluate(next);
      if (performance.now() < until) continue;
      await pause();
      until = performance.now() + sliceMilliseconds;
    }
    this.#running = undefined;
    if (this.#dropped > 0) {
      this.#options.log.write("warn", "audit results dropped", { requests: this.#dropped });
      this.#dropped = 0;
    }
  }

  async #evaluate({ subject, asked: { failurePolicy, policy } }: Waiting): Promise<void> {
    const { snapshot, ports, log, metrics } = this.#options;
    const current = snapshot();
    if (current === undefined) return;
    const deadline = new Deadline(30_000);
    try {
      const decision = await evaluate(current, subject, {
        phase: "validate",
        rules: "audit",
        budget: 30_000,
        ports,
        deadline: () => deadline.signal(),
        ...(failurePolicy !== undefined && { failurePolicy }),
        ...(policy !== undefined && { policy }),
      });
      metrics.decided(decision, subject);
      for (const { policy, rules } of decision.results) {
        for (const rule of rules.filter(({ result }) => result === "fail" || result === "error")) {
          log.write("info", "audit", {
            uid: subject.uid,
            policy: policy.key,
            rule: rule.rule,
            result: rule.result,
            ruleMessage: rule.message,
          });
        }
      }
    } catch (cause) {
      log.write("error", "audit failed", { uid: subject.uid, cause: String(cause) });
    } finally {
      deadline.release();
    }
  }
}

const known = new WeakMap<readonly CompiledPolicy[], readonly CompiledPolicy[]>();

/** Those with audit rules. A snapshot gives the same list for the same question, so it is looked through once. */
function auditedOf(candidates: readonly CompiledPolicy[]): readonly CompiledPolicy[] {
  let audited = known.get(candidates);
  if (audited === undefined) known.set(candidates, audited = candidates.filter((each) => each.audited));
  return audited;
}

/** How long the queue works before answers have their turn again: less than a client notices. */
const sliceMilliseconds = 2;

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
